/**
 * How to convert a folder whose weights have another form; undefined for one without weights.
 *
 * @param source its place, as `from_pretrained` of transformers takes it
 */
export function howToConvert(names: readonly string[], source: string): string | undefined {
  const from = JSON.stringify(source)
  const has = (pattern: RegExp) => names.find((name) => pattern.test(name))
  const pickle = has(/\.(bin|pth|pt|ckpt)$/)
  if (pickle !== undefined) {
    return `${pickle} is a pickle, which is never opened: convert it with AutoModel.from_pretrained(${from}).save_pretrained(".")`
  }
  const gguf = has(/\.gguf$/)
  if (gguf !== undefined) {
    return `${gguf} is never opened: use the checkpoint that it was made from, or AutoModel.from_pretrained(${from}, gguf_file="${gguf}").save_pretrained(".")`
  }
  const other = has(/\.safetensors$/)
  if (other !== undefined) return `${other} is not the model's own file`
  return undefined
}
