import { expect, test } from 'vitest'
import type { Encoded, TextWork } from '../../../../src/first-layer/tokens/rust/messages.js'
import { RustHost } from '../../../../src/first-layer/tokens/rust/rust-host.js'
import { hasRustLibrary, tokenizerFile } from '../rust-library.js'

const work = (text: string): TextWork => ({
  type: 'encode',
  ...{ chunks: [Buffer.from(text)], forbidden: [], addSpecialTokens: false, ranges: false },
})

test.skipIf(!hasRustLibrary)(
  'a text whose result is not wanted any more fails, the others go on',
  async () => {
    const host = new RustHost()
    await host.open(Buffer.from(tokenizerFile('unigram')))
    const controller = new AbortController()
    const left = host.run(work('the text '.repeat(1000)), controller.signal)
    const other = host.run(work('the text'), new AbortController().signal)
    controller.abort(new Error('gone'))
    await expect(left).rejects.toThrow('gone')
    expect(((await other) as Encoded).ids.length).toBeGreaterThan(1)
  },
)
