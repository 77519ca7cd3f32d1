import { expect, test } from 'vitest'
import { RustHost } from '../../../../src/first-layer/tokens/rust/rust-host.js'
import { hasRustLibrary, tokenizerFile } from '../rust-library.js'

/** So long that such texts are encoded one after the other. */
const LONG = Buffer.from('text '.repeat(20_000))

test.skipIf(!hasRustLibrary)(
  'a long work that is cancelled before its turn is dropped, the others go on',
  async () => {
    const host = new RustHost()
    await host.run({ type: 'open', key: 'a', json: Buffer.from(tokenizerFile('unigram')) })
    const controllers = [0, 1, 2, 3].map(() => new AbortController())
    const encode = (i: number) =>
      host.run(
        { type: 'encode', key: 'a', chunks: [LONG], forbidden: [], addSpecialTokens: false, ranges: false },
        controllers[i]!.signal,
      )
    const decode = (i: number) =>
      host.run({ type: 'decode', key: 'a', ids: new Int32Array(100_000).fill(9) }, controllers[i]!.signal)
    const works = Promise.allSettled([encode(0), encode(1), decode(2), encode(3)])
    controllers[1]!.abort(new Error('gone'))
    controllers[2]!.abort(new Error('gone'))
    const [first, ...rest] = await works
    expect(rest.slice(0, 2).map((work) => work.status === 'rejected' && work.reason.message)).toEqual([
      'gone',
      'gone',
    ])
    expect(rest[2]).toEqual(first)
  },
)
