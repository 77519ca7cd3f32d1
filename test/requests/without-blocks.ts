import type { Model } from '../../src/first-layer/embeddings/model.js'

/** What `act` gives while the model has no free block in its memory: rows are copied and then written as text. */
export async function withoutBlocks<Result>(
  { workspace }: Model,
  act: () => Promise<Result>,
): Promise<Result> {
  const taken = Array.from({ length: workspace.freeBlocks }, () => workspace.lease(4, 4))
  try {
    return await act()
  } finally {
    for (const { release } of taken) release()
  }
}
