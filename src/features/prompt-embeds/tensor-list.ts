import { base64, base64Length } from '../../first-layer/formats/base64.js'
import { nestedArrays, numbersBytes, type Part, part } from '../../first-layer/formats/json.js'
import { byteLength, type Dtype, type NamedTensor } from '../../first-layer/tensors/named-tensor.js'
import { torchFile } from '../../first-layer/tensors/torch/torch-file.js'
import type { Documents } from '../../first-layer/windows/documents.js'

/**
 * A tensor for each document, each made when its text is next: of tens of thousands at once a thread would be held for seconds.
 *
 * @param as `["UEsDB…"]`, torch files in base64, of which each has some bytes of its own, or `[[[0.1,…],…]]`, numbers
 * @param each the shape of a token's part
 * @param tensor gives the tensor [T, …] of document d
 */
export function tensorList(
  { count, totalTokens }: Pick<Documents, 'count' | 'totalTokens'>,
  as: 'torch' | 'numbers',
  { dtype, each }: { readonly dtype: Dtype; readonly each: readonly number[] },
  tensor: (d: number) => NamedTensor,
): Part {
  const all = { dtype, shape: [totalTokens, ...each] }
  const ofFile = base64Length(torchFile({ dtype, shape: [0, ...each], blocks: () => [] }).bytes)
  const bytes =
    as === 'numbers' ? numbersBytes(all) + 2 * count : base64Length(byteLength(all)) + count * ofFile
  const partOf = (own: NamedTensor) => (as === 'torch' ? base64(torchFile(own), 0) : nestedArrays(own))
  return part(bytes, async function* () {
    for (let d = 0; d < count; d++) {
      yield Buffer.from(d === 0 ? '[' : ',')
      yield* partOf(tensor(d)).text()
    }
    yield Buffer.from(']')
  })
}
