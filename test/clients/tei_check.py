"""Clients of Text Embeddings Inference and of Cohere beside OpenAI's answer: python tei_check.py URL MODEL.

huggingface_hub, LangChain (endpoint and OpenAI), Haystack, LlamaIndex, LiteLLM and Cohere's client, unchanged.
"""

import base64
import sys

import numpy as np
import openai

TEXTS = ["the cat sat", "naïve café", "a dog ran over the hill"]


def close(given, wanted) -> None:
    np.testing.assert_allclose(np.array(given, np.float32), wanted, rtol=0, atol=1e-6)


def hub(base: str, wanted: np.ndarray) -> None:
    from huggingface_hub import InferenceClient

    for client in (InferenceClient(base_url=base), InferenceClient(model=base), InferenceClient(base_url=f"{base}/embed")):
        close([np.squeeze(client.feature_extraction(text)) for text in TEXTS], wanted)
        close(client.feature_extraction(TEXTS), wanted)
        cut = client.feature_extraction(TEXTS[0], normalize=True, truncate=True, truncation_direction="left")
        close(np.squeeze(cut), wanted[0])
    try:
        InferenceClient(base_url=base).feature_extraction("cat", prompt_name="nothing")
        raise AssertionError("a prompt that is not there")
    except Exception as error:
        assert "prompt" in str(error), error


def langchain(base: str, url: str, model: str, wanted: np.ndarray) -> None:
    from huggingface_hub import InferenceClient
    from langchain_huggingface import HuggingFaceEndpointEmbeddings
    from langchain_openai import OpenAIEmbeddings

    # Of 1.3 and later `model` takes no URL: the client is put in its place.
    embeddings = HuggingFaceEndpointEmbeddings(model="org/model")
    embeddings.client = InferenceClient(model=base)
    close(embeddings.embed_documents(TEXTS), wanted)
    close(embeddings.embed_query(TEXTS[0]), wanted[0])
    options = {"base_url": f"{url}/v1", "api_key": "none", "model": model}
    close(OpenAIEmbeddings(**options, check_embedding_ctx_length=False).embed_documents(TEXTS), wanted)
    # With its defaults it sends ids of cl100k_base, which it takes for names that it does not know.
    refused(lambda: OpenAIEmbeddings(**options).embed_documents(TEXTS))
    refused(lambda: OpenAIEmbeddings(**options).embed_query(TEXTS[0]))


def refused(call) -> None:
    """Ids of another tokenizer are refused with what to set."""
    try:
        call()
        raise AssertionError("ids of another tokenizer")
    except openai.UnprocessableEntityError as error:
        assert "check_embedding_ctx_length=False" in str(error), error


def haystack(base: str, wanted: np.ndarray) -> None:
    from haystack import Document
    from haystack_integrations.components.embedders.huggingface_api import (
        HuggingFaceAPIDocumentEmbedder,
        HuggingFaceAPITextEmbedder,
    )

    # It sends `normalize: false` unless told.
    options = {"api_type": "text_embeddings_inference", "api_params": {"url": base}, "normalize": True}
    close(HuggingFaceAPITextEmbedder(**options).run(text=TEXTS[0])["embedding"], wanted[0])
    documents = HuggingFaceAPIDocumentEmbedder(**options).run(documents=[Document(content=text) for text in TEXTS])
    close([document.embedding for document in documents["documents"]], wanted)


def llama_index(base: str, model: str, wanted: np.ndarray) -> None:
    from llama_index.embeddings.text_embeddings_inference import TextEmbeddingsInference

    embeddings = TextEmbeddingsInference(base_url=base, model_name=model)
    close(embeddings.get_text_embedding_batch(TEXTS), wanted)


def cohere_client(url: str, model: str, wanted: np.ndarray) -> None:
    import cohere

    client = cohere.ClientV2(base_url=url, api_key="none")
    asked = {"model": model, "texts": TEXTS, "input_type": "search_document", "output_dimension": 296}
    answer = client.embed(**asked, embedding_types=["float", "ubinary", "base64"])
    rows = np.array(answer.embeddings.float_, np.float32)
    assert rows.shape == (3, 296)
    assert answer.embeddings.ubinary == np.packbits(rows > 0, axis=-1).tolist()
    assert np.frombuffer(base64.b64decode(answer.embeddings.base64[0]), "<f4").tolist() == rows[0].tolist()
    assert answer.meta.billed_units.input_tokens > 0
    close(client.embed(**{**asked, "output_dimension": 300}).embeddings.float_, wanted)
    try:
        client.embed(**asked, embedding_types=["int8"])
        raise AssertionError("no ranges")
    except cohere.errors.UnprocessableEntityError as error:
        assert "needs ranges" in error.body["message"], error


def litellm_client(url: str, model: str, wanted: np.ndarray) -> None:
    import litellm

    answer = litellm.embedding(model=f"openai/{model}", api_base=f"{url}/v1", api_key="none", input=TEXTS)
    close([one["embedding"] for one in answer.data], wanted)
    assert answer.usage.prompt_tokens > 0
    try:
        litellm.embedding(model=f"openai/{model}", api_base=f"{url}/v1", api_key="none", input=TEXTS, dimensions=9999)
        raise AssertionError("too many dimensions")
    except litellm.BadRequestError as error:
        assert "dimensions" in str(error), error


def main(url: str, model: str) -> None:
    client = openai.OpenAI(base_url=f"{url}/v1", api_key="none")
    data = client.embeddings.create(model=model, input=TEXTS).data
    wanted = np.array([one.embedding for one in data], np.float32)
    refused(lambda: client.embeddings.create(model=model, input=[[15496, 11], [995]]))  # as LangChain sends them
    base = f"{url}/tei/{model}"
    tei = openai.OpenAI(base_url=f"{base}/v1", api_key="none").embeddings.create(model="any", input=TEXTS).data
    close([one.embedding for one in tei], wanted)
    hub(base, wanted)
    langchain(base, url, model, wanted)
    haystack(base, wanted)
    llama_index(base, model, wanted)
    cohere_client(url, model, wanted)
    litellm_client(url, model, wanted)
    print("huggingface_hub, langchain, haystack, llama-index, cohere, litellm, openai: the same embeddings")


if __name__ == "__main__":
    main(*sys.argv[1:])
