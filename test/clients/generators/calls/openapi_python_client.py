"""Five calls by the client that openapi-python-client makes. Argument: the service's URL."""
import sys

from inlet_generated import AuthenticatedClient
from inlet_generated.api.embeddings import create_input_embeddings
from inlet_generated.api.models import get_tables, list_models
from inlet_generated.api.tokens import detokenize, tokenize
from inlet_generated.models import DetokenizeRequest, InputEmbeddingsRequest, OutputName, TokenizeRequest

client = AuthenticatedClient(base_url=sys.argv[1], token="operator")

assert list_models.sync(client=client).data[0].id == "default"
request = InputEmbeddingsRequest(text="Hello, world!", outputs=[OutputName.INPUT_IDS])
answer = create_input_embeddings.sync(client=client, body=request)
assert (answer.num_tokens, answer.outputs.input_ids.shape) == (4, [1, 4])
tokens = tokenize.sync(client=client, body=TokenizeRequest(text=["Hello, world!", "Hello"]))
assert (tokens.input_ids, tokens.documents[1].start) == ([15496, 11, 995, 0, 15496], 4)
assert len(get_tables.sync_detailed("default", client=client).content) > 50257 * 8 * 4
failure = detokenize.sync_detailed(client=client, body=DetokenizeRequest(input_ids=[50257]))
assert failure.status_code == 422 and failure.parsed.error.code == "token_out_of_range"
