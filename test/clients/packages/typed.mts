// What a caller's own compiler sees.
import type { Inlet, Model, Tensors } from 'inlet-client'

export async function rows(inlet: Inlet): Promise<Float32Array | undefined> {
  // @ts-expect-error an unknown type of elements
  await inlet.inputEmbeddings({ text: 'Hello', dtype: 'float64' })
  // @ts-expect-error an unknown output
  await inlet.inputEmbeddings({ text: 'Hello', outputs: ['labels'] })
  // @ts-expect-error an unknown field
  await inlet.inputEmbeddings({ text: 'Hello', block_size: 4 })
  // @ts-expect-error a field that is missing
  await inlet.detokenize({})
  // @ts-expect-error batches of no size
  for await (const _ of inlet.batches({ text: 'Hello' })) break
  // @ts-expect-error an option of another scheme
  await inlet.inputEmbeddings({ text: 'Hello', position_embedding: { type: 'alibi', head_dim: 8 } })
  // @ts-expect-error a target that there is not
  await inlet.renderCompletion({ prompt: 'Hello', target: 'vlm' })
  const [prompt] = await inlet.renderCompletion({ prompt: 'Hello' })
  const chat: number[] | undefined = (await inlet.renderChat({ messages: [{ role: 'user' }] })).token_ids
  chat?.push(...(prompt?.token_ids ?? []))
  const { embedding_dim }: Model = await inlet.model('default')
  const ids = Int32Array.of(1, 2)
  const signal = AbortSignal.timeout(1000)
  const tensors: Tensors = await inlet.inputEmbeddings({ input_ids: ids, seed: 2n ** 64n - 1n }, { signal })
  return tensors.get(`rows_${embedding_dim}`)?.toFloat32()
}
