import type { Answer } from '../first-layer/answer.js'
import { blocksNow, gathered } from '../first-layer/tensors/blocks.js'
import { byteLength, type NamedTensor } from '../first-layer/tensors/named-tensor.js'
import { hasNpyType, npyFile, npyFileBytes } from '../first-layer/tensors/npy.js'
import { safetensorsFile } from '../first-layer/tensors/safetensors/safetensors-file.js'
import { torchFile, torchFileBytes } from '../first-layer/tensors/torch/torch-file.js'
import type { Embeddings, Tensor } from './api.js'

/** Gives an answer's tensors the forms of the library. */
export function embeddingsOf({ counts = { numTokens: 0 }, metadata, tensors: declared }: Answer): Embeddings {
  const tensors = declared.map((tensor) => new ComputedTensor(tensor))
  const tensor = (name: string): Tensor => {
    const found = tensors.find((each) => each.name === name)
    if (found !== undefined) return found
    const names = tensors.map((each) => each.name).join(', ')
    throw new RangeError(`The tensor must be one of ${names}. Given: ${name}`)
  }
  return {
    ...{ counts, metadata, tensors, tensor },
    floats(name = 'input_embeddings') {
      const { data, dtype } = tensor(name)
      if (data instanceof Float32Array) return data
      throw new RangeError(`${name} is ${dtype}, not float32: read its data.`)
    },
    safetensors() {
      const file = safetensorsFile(metadata, declared)
      return gathered(file.blocks(), new Uint8Array(file.bytes))
    },
  }
}

class ComputedTensor implements Tensor {
  #data: Tensor['data'] | undefined

  constructor(private readonly declared: NamedTensor) {}

  get name() {
    return this.declared.name
  }

  get dtype() {
    return this.declared.dtype
  }

  get shape() {
    return this.declared.shape
  }

  get data(): Tensor['data'] {
    this.#data ??= this.#read()
    return this.#data
  }

  blocks(): Iterable<Uint8Array> {
    return blocksNow(this.declared.blocks())
  }

  npy(): Uint8Array {
    if (!hasNpyType(this))
      throw new RangeError(`NumPy has no ${this.dtype}: ${this.name} cannot be its file.`)
    return gathered(npyFile(this.declared), new Uint8Array(npyFileBytes(this)))
  }

  torch(): Uint8Array {
    return gathered(torchFile(this.declared), new Uint8Array(torchFileBytes(this)))
  }

  #read(): Tensor['data'] {
    const { buffer } = gathered(this.blocks(), new Uint8Array(byteLength(this)))
    if (this.dtype === 'int64') return Int32Array.from(new BigInt64Array(buffer), Number)
    if (this.dtype === 'int32') return new Int32Array(buffer)
    return this.dtype === 'float32' ? new Float32Array(buffer) : new Uint16Array(buffer)
  }
}
