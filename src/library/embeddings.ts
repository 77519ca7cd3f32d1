import type { Answer } from '../first-layer/answer.js'
import { blocksNow, gathered } from '../first-layer/tensors/blocks.js'
import { byteLength, type NamedTensor } from '../first-layer/tensors/named-tensor.js'
import { noNpyType, npyFile } from '../first-layer/tensors/npy.js'
import { safetensorsFile } from '../first-layer/tensors/safetensors/safetensors-file.js'
import { torchFile } from '../first-layer/tensors/torch/torch-file.js'
import type { Embeddings, Tensor } from './api.js'

/** Gives an answer's tensors the forms of the library. */
export function embeddingsOf({ counts = { numTokens: 0 }, metadata, tensors: declared }: Answer): Embeddings {
  const tensors = declared.map(readable)
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
    safetensors: () => gathered(safetensorsFile(metadata, declared)),
  }
}

function readable(declared: NamedTensor): Tensor {
  const { name, dtype, shape } = declared
  let data: Tensor['data'] | undefined
  return {
    ...{ name, dtype, shape },
    get data() {
      data ??= numbersOf(declared)
      return data
    },
    blocks: () => blocksNow(declared.blocks()),
    npy() {
      const why = noNpyType(declared)
      if (why !== undefined) throw new RangeError(why)
      return gathered(npyFile(declared))
    },
    torch: () => gathered(torchFile(declared)),
  }
}

function numbersOf(tensor: NamedTensor): Tensor['data'] {
  const { buffer } = gathered({ bytes: byteLength(tensor), blocks: () => tensor.blocks() })
  if (tensor.dtype === 'int64') return Int32Array.from(new BigInt64Array(buffer), Number)
  if (tensor.dtype === 'int32') return new Int32Array(buffer)
  return tensor.dtype === 'float32' ? new Float32Array(buffer) : new Uint16Array(buffer)
}
