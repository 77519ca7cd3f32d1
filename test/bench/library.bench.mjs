import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadEncoding } from '../../build/src/first-layer/tokens/encoding.js'
import { tokenizeText } from '../../build/src/first-layer/tokens/tokenize.js'
import { driveAsync } from '../../build/src/load/drive.js'
import { datasetFromFile, datasetFromIds, modelFromSeed } from '../../dist/index.js'
import { atMost } from './harness/floors.mjs'
import { median, ratio, takeTurns } from './harness/rounds.mjs'
import { SMOKE } from './harness/smoke.mjs'
import { figure, times } from './harness/text.mjs'
import { corpus, TEXTS_NOTE } from './tokenizers/corpora.mjs'

const IDS = SMOKE ? 20_000 : 2_000_000
const VOCABULARY = 50_257

/** What the library's own functions add to the work that they are for. */
export async function bench({ rounds, quick, say }) {
  const folder = mkdtempSync(join(tmpdir(), 'inlet-bench-library-'))
  const ids = new Int32Array(IDS).map((_, i) => (i * 7919) % VOCABULARY)
  const path = join(folder, 'train.bin')
  writeFileSync(path, Uint16Array.from(ids))
  const model = await modelFromSeed(123, { embedding_dim: 8 })
  const encoding = await loadEncoding('gpt2')
  const [file, memory] = [await datasetFromFile(path), datasetFromIds([ids])]
  const text = corpus('prose')
  const bytes = Buffer.byteLength(text)
  const batches = quick ? 20 : 500

  const loader = { context_length: 4, stride: 1, batch_size: 8, outputs: ['input_ids', 'target_ids'] }
  const random = { ...loader, shuffle: true, seed: 1 }
  const rows = { context_length: 1024, stride: 1024, batch_size: 16, shuffle: 'index', seed: 1 }
  const starts = { context_length: 1024, outputs: ['window_starts'] }

  /** @returns a contender: nanoseconds for each of `count` things */
  const timed = (count, work) => async () => {
    const began = performance.now()
    await work()
    return ((performance.now() - began) * 1e6) / count
  }
  /** Nanoseconds a batch, once the first is there; a shorter epoch begins again. */
  const looped = (epoch) => async () => {
    let began
    for (let made = -1; made < batches; ) {
      for await (const _ of epoch()) {
        began ??= performance.now()
        if (++made === batches) break
      }
    }
    return ((performance.now() - began) * 1e6) / batches
  }

  try {
    const table = []
    const floors = []
    const compare = async (what, contenders, most) => {
      await takeTurns(1, contenders) // warms up
      const figures = await takeTurns(rounds, contenders)
      const [[name, own], [beside, rival]] = Object.entries(figures)
      const share = ratio(own, rival)
      table.push([what, name, figure(median(own)), beside, figure(median(rival)), times(share)])
      say(table.at(-1).join(' | '))
      floors.push(atMost(`${what}: ${name}, beside ${beside}`, share.middle, most, '×'))
    }
    await compare(
      'prose to ids, ns a byte',
      {
        tokenize: timed(bytes, () => model.tokenize(text)),
        'the tokenizer alone': timed(bytes, () =>
          driveAsync(tokenizeText(encoding, text, { allowedSpecial: new Set() })),
        ),
      },
      1.5,
    )
    await compare(
      'ids to windows, ns an id',
      {
        embed: timed(IDS, () => model.embed(ids, starts)),
        'a check of each, and a copy': timed(
          IDS,
          () => ids.every((id) => id >= 0 && id < VOCABULARY) && ids.slice(),
        ),
      },
      1.5,
    )
    await compare(
      'a batch [8, 4], ns',
      {
        'of a shuffled epoch': looped(() => model.batches(ids, random)),
        'in order': looped(() => model.batches(ids, loader)),
      },
      1.5,
    )
    await compare(
      'a batch [16, 1024] of a dataset, ns',
      {
        'of a file': looped(() => file.batches(rows)),
        'of ids in memory': looped(() => memory.batches(rows)),
      },
      3,
    )
    return {
      title: 'The library’s own functions, beside the work that they are for',
      notes: [
        `One thread, by the clock. ${figure(IDS)} ids of 16 bits in a file that the page cache holds; a loop’s first batch, which makes the order, is not counted, and nothing of its tensors is read.`,
        TEXTS_NOTE,
      ],
      head: ['what', 'which', 'takes', 'beside', 'takes', 'ratio'],
      rows: table,
      floors,
    }
  } finally {
    model.dispose()
    await file.close()
    rmSync(folder, { recursive: true })
  }
}
