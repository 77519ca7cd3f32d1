import { importRival } from '../harness/npm-rivals.mjs'
import { answer, makeModel } from './work.mjs'

const { move } = await importRival('piscina')
const model = await makeModel()

/** The answer's bytes, moved, not copied. */
export default (body) => move(answer(model, body))
