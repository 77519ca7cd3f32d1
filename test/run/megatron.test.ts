import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TokenBuffer } from '../../src/first-layer/tokens/token-buffer.js'
import { MEGATRON_DTYPES, megatronIndex } from '../../src/run/write/outputs.js'
import { inFolder } from '../cli/run-command.js'
import { checkProperty } from '../property.js'
import { runLines } from './run-lines.js'

/** An index as Megatron-LM's `_IndexReader` reads it. */
function readIndex(bytes: Buffer) {
  const exact = new Uint8Array(bytes).buffer
  expect(bytes.toString('latin1', 0, 9)).toBe('MMIDIDX\0\0')
  expect(bytes.readBigUInt64LE(9)).toBe(1n)
  const code = bytes.readUInt8(17)
  const sequences = Number(bytes.readBigUInt64LE(18))
  const documents = Number(bytes.readBigUInt64LE(26))
  const [lengthsEnd, placesEnd] = [34 + 4 * sequences, 34 + 12 * sequences]
  expect(bytes.length).toBe(placesEnd + 8 * documents)
  return {
    code,
    lengths: [...new Int32Array(exact.slice(34, lengthsEnd))],
    places: [...new BigInt64Array(exact.slice(lengthsEnd, placesEnd))].map(Number),
    documents: [...new BigInt64Array(exact.slice(placesEnd))].map(Number),
  }
}

test('megatron: a folder of tokens.bin and tokens.idx; empty documents are left out', () =>
  inFolder(async (folder) => {
    const [input, out] = [join(folder, 'a.ndjson'), join(folder, 'out')]
    writeFileSync(input, '{"text":"Hello, world!"}\n{"text":""}\n{"input_ids":[7,50256]}\n')
    const { lines } = await runLines([input, out, '--to', 'megatron'])
    expect(lines).toMatchObject([{ documents: 2, tokens: 6, state: 'done' }])
    const { output } = lines[0]!
    expect(basename(output)).toMatch(/^a-[a-z2-7]{26}$/)
    expect(readdirSync(output).sort()).toEqual(['tokens.bin', 'tokens.idx'])
    const tokens = readFileSync(join(output, 'tokens.bin'))
    expect([...new Uint16Array(new Uint8Array(tokens).buffer)]).toEqual([15496, 11, 995, 0, 7, 50256])
    const index = readIndex(readFileSync(join(output, 'tokens.idx')))
    expect(index).toEqual({ code: 8, lengths: [4, 2], places: [0, 8], documents: [0, 1, 2] })
    const wide = await runLines([input, out, '--to', 'megatron', '--encoding', 'cl100k_base'])
    const wideIndex = readIndex(readFileSync(join(wide.lines[0]!.output, 'tokens.idx')))
    expect(wideIndex).toMatchObject({ code: 4, lengths: [4, 2], places: [0, 16] })
  }))

test('an index of any number of documents has each length, place and document', async () => {
  const cases = fc.record({
    dtype: fc.constantFrom('uint16' as const, 'int32' as const),
    lengths: fc.array(fc.integer({ min: 1, max: 2 ** 31 - 1 }), { maxLength: 20_000, size: 'max' }),
  })
  await checkProperty(
    fc.asyncProperty(cases, async ({ dtype, lengths }) => {
      const parts = [...megatronIndex(dtype, TokenBuffer.of(lengths))]
      const { code, bytes } = MEGATRON_DTYPES[dtype]
      let place = 0
      const places = lengths.map((length) => {
        place += length * bytes
        return place - length * bytes
      })
      const documents = Array.from({ length: lengths.length + 1 }, (_, i) => i)
      expect(readIndex(Buffer.concat(parts))).toEqual({ code, lengths, places, documents })
    }),
    20,
  )
})
