import { cardSchema } from '../../../src/first-layer/cards/card-json.js'
import { seedCard } from '../../../src/first-layer/cards/seed-card.js'
import type { ModelEntry } from '../../../src/models/entry.js'
import { Keeper } from '../../../src/service/models/keeper/keeper.js'
import { localMaker } from '../../../src/service/models/keeper/maker.js'
import { tableFile } from '../../table-files.js'
import { learningHere } from './here.js'
import { onesFor } from './http/trainer.js'

const [V, C] = [64, 16]
const TABLE = 4 * V * C
/** Gradients of one row. */
const GRADIENTS = 4 * C

/** A model that learns, under a keeper whose readers hold each version until it is released. */
export async function taught(copies: number) {
  const readers: (() => void)[] = []
  const published: ModelEntry[] = []
  const threads = {
    count: 1,
    publish(_: string, entry: unknown) {
      published.push(entry as ModelEntry)
      return { received: Promise.resolve(), drained: new Promise<void>((resolve) => readers.push(resolve)) }
    },
  }
  const keeper = new Keeper(threads, localMaker, { maxTableBytes: copies * TABLE + GRADIENTS })
  const learning = learningHere(keeper)
  const card = seedCard(
    'small',
    cardSchema.parse({ vocab_size: V, embedding_dim: C, position_embedding: 'none' }),
  )
  await keeper.make(card)
  await learning.begin('small', { type: 'sgd', lr: 1 })
  const call = (kind: 'gradients' | 'step') => {
    const body = tableFile(onesFor([1], C))
    return learning.call('small', { kind, key: undefined, ifVersions: null, options: {}, body })
  }
  const step = async () => {
    await call('gradients')
    return call('step')
  }
  return {
    step,
    /** Lets all readers go. */
    async drain() {
      for (const end of readers.splice(0)) end()
      await settles(Promise.resolve())
    },
    memories: () => new Set(published.flatMap(({ version }) => version?.tables.memory ?? [])),
  }
}

/** Whether a promise settles without a timer. */
export async function settles(promise: Promise<unknown>): Promise<boolean> {
  let isSettled = false
  promise.then(
    () => (isSettled = true),
    () => {},
  )
  for (let i = 0; i < 50; i++) await Promise.resolve()
  return isSettled
}
