"""Five calls by the client that openapi-generator's `python` makes. Argument: the service's URL."""
import sys

import inlet_generated as inlet

client = inlet.ApiClient(inlet.Configuration(host=sys.argv[1], access_token="operator"))
models = inlet.ModelsApi(client)
tokens = inlet.TokensApi(client)

assert models.list_models().data[0].id == "default"
request = inlet.InputEmbeddingsRequest(text=inlet.Texts("Hello, world!"), outputs=["input_ids"])
answer = inlet.EmbeddingsApi(client).create_input_embeddings(request)
assert (answer.num_tokens, answer.outputs.input_ids.shape) == (4, [1, 4])
tokenized = tokens.tokenize(inlet.TokenizeRequest(text=inlet.Texts(["Hello, world!", "Hello"])))
assert (tokenized.input_ids, tokenized.documents[1].start) == ([15496, 11, 995, 0, 15496], 4)
assert len(models.get_tables("default")) > 50257 * 8 * 4
try:
    tokens.detokenize(inlet.DetokenizeRequest(input_ids=[50257]))
    raise AssertionError("refused")
except inlet.ApiException as failure:
    assert failure.status == 422 and failure.data.error.code == "token_out_of_range"
