/**
 * The architectures of models from checkpoints that are not in the registry: the `model_type`s of their families (a test
 * compares this list with the families).
 */
export const checkpointArchitectures: readonly string[] = `
  albert bart camembert codegen cohere cohere2 ctrl deberta-v2 deepseek_v2 deepseek_v3 distilbert electra
  falcon falcon_h1 gemma2 gemma3 gemma3_text glm glm4 gpt_bigcode gpt_neo gpt_oss gptj granite granitemoe
  llama4 llama4_text mbart ministral mistral mixtral model2vec modernbert mpnet mpt mt5 nemotron olmo olmo2
  olmo3 olmoe openai-gpt opt phi phi3 qwen2 qwen2_moe qwen3 qwen3_moe qwen3_next roberta smollm3 stablelm
  starcoder2 static_embedding umt5 xglm xlm-roberta xlnet
`
  .trim()
  .split(/\s+/)
