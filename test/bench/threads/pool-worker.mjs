import { threadId } from 'node:worker_threads'
import { importRival } from '../harness/npm-rivals.mjs'
import { answer, attachModel } from './work.mjs'

const { move, workerData: shared } = await importRival('piscina')
const model = await attachModel(shared, threadId)

/** The answer's bytes, moved, not copied. */
export default async (body) => move(await answer(model, body))
