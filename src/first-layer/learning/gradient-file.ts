import { FLOAT_DTYPES } from '../tensors/safetensors/header.js'
import type { GradientCall } from './gradient-call.js'
import { invalid, receivedTensors, TensorReader } from './tensor-file.js'

/** The options of a call with gradients. */
export type GradientOptions = { readonly position_offset?: number | undefined }

/**
 * The call of a file, safetensors: `gradients` [B, T, C] with `input_ids` [B, T], or `token_gradients` [N, C] with
 * `token_ids` [N], or `position_gradients` [M, C] with `position_ids` [M]. Its metadata is not looked at.
 *
 * @throws InletError `invalid_request` that names the tensor
 */
export function gradientCall(file: Uint8Array, { position_offset }: GradientOptions): GradientCall {
  const opened = receivedTensors(file)
  const tensors = new TensorReader(opened)
  const data = file.subarray(file.length - opened.header.dataBytes)
  const isOfRows = tensors.find('gradients') === undefined
  if (position_offset && (isOfRows || tensors.find('position_ids') !== undefined))
    throw invalid('position_offset', 'must stand beside `gradients`, without `position_ids`')
  const call = isOfRows ? ofRows(tensors, data) : ofEmbeddings(tensors, data, position_offset)
  tensors.checkAllAsked(isOfRows ? 'gradients of rows' : '`gradients`')
  return call
}

function ofEmbeddings(
  tensors: TensorReader,
  data: Uint8Array,
  position_offset: number | undefined,
): GradientCall {
  const { rows, shape } = floats(tensors, data, 'gradients', ['B', 'T', 'C'])
  const [batch, length] = shape
  const integers = (name: string) => tensors.find(name) && ids(tensors, name, [batch, length])
  return {
    ...{ shape: [batch, length], gradients: rows, position_offset },
    input_ids: ids(tensors, 'input_ids', [batch, length]),
    position_ids: integers('position_ids'),
    attention_mask: integers('attention_mask'),
  }
}

function ofRows(tensors: TensorReader, data: Uint8Array): GradientCall {
  const pair = (name: 'token' | 'position') => {
    const names = [`${name}_gradients`, `${name}_ids`]
    if (names.every((each) => tensors.find(each) === undefined)) return {}
    const { rows, shape } = floats(tensors, data, names[0], ['N', 'C'])
    return { [names[0]]: rows, [names[1]]: ids(tensors, names[1], [shape[0]]) }
  }
  return { ...pair('token'), ...pair('position') }
}

/** Gradients, float32, float16 or bfloat16. */
function floats(tensors: TensorReader, data: Uint8Array, name: string, axes: readonly string[]) {
  const { dtype, shape, start, end } = tensors.needed(name, Object.keys(FLOAT_DTYPES), axes)
  return { rows: { bytes: data.subarray(start, end), dtype: FLOAT_DTYPES[dtype] }, shape }
}

function ids(tensors: TensorReader, name: string, shape: readonly number[]): Int32Array {
  const tensor = tensors.needed(name, ['I32'], shape)
  return tensors.readInto(tensor, new Int32Array((tensor.end - tensor.start) / 4))
}
