import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isTrained } from '../../src/first-layer/datasets/token-mask.js'
import { inFolder, start } from '../cli/run-command.js'
import { run } from '../cli/run-here.js'
import { chats, folderOf, runsOf } from '../first-layer/datasets/chats/golden-chats.js'
import { parsedSafetensors } from '../library/safetensors.js'
import { tableFile } from '../table-files.js'
import { until } from '../until.js'
import { filesIn, runLines } from './run-lines.js'

const jsonLines = (lines: readonly object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('')

/** The documents of a dataset's folder: ids, and the runs of those that are trained. */
function documentsIn(output: string) {
  const { dtype, mask } = JSON.parse(readFileSync(join(output, 'dataset.json'), 'utf8'))
  const { buffer } = new Uint8Array(readFileSync(join(output, 'tokens.bin')))
  const ids = dtype === 'uint16' ? new Uint16Array(buffer) : new Uint32Array(buffer)
  const bits = mask && readFileSync(join(output, 'mask.bin'))
  const { buffer: ends } = new Uint8Array(readFileSync(join(output, 'documents.bin')))
  const starts = [...new BigUint64Array(ends)].map(Number)
  return starts.slice(1).map((end, d) => {
    const own = Array.from(ids.subarray(starts[d], end))
    const trained = own.map((_, i) => Number(bits === undefined || isTrained(bits, starts[d]! + i)))
    return { ids: own, trained: runsOf(trained) }
  })
}

/** The tensors of int32 in a file. */
function tensorsIn(path: string): Record<string, number[]> {
  const bytes = parsedSafetensors(readFileSync(path))
  return Object.fromEntries(
    Object.entries(bytes).map(([name, each]) => [name, [...new Int32Array(new Uint8Array(each).buffer)]]),
  )
}

/** An upload's query as flags. */
const flagsOf = (query: object) =>
  Object.entries(query).map(([name, value]) => `--${name.replaceAll('_', '-')}=${value}`)

/** Every query of the folders with something of their own, and one of each other folder: a run takes as long to start as the rest. */
const WHOLE = ['two-templates', 'tags-inside', 'opens-think']
const asked = Object.entries(chats.folders).flatMap(([folder, { uploads }]) => {
  const queries = [...new Set(uploads.map(({ query }) => JSON.stringify(query)))]
  return (WHOLE.includes(folder) ? queries : queries.slice(0, 1)).map((query) => [folder, query] as const)
})

test.each(asked)('%s %s: the reference’s ids, masks and counts', (folder, query) =>
  inFolder(async (place) => {
    const { files, ids, uploads } = chats.folders[folder]!
    const golden = uploads.filter((each) => JSON.stringify(each.query) === query)
    const paths = golden.map(({ file }) => join(place, `${file}.jsonl`))
    for (const [i, { file }] of golden.entries()) writeFileSync(paths[i]!, jsonLines(files[file]!))
    const flags = ['--model', folderOf(folder), '--refused', 'skip', ...flagsOf(JSON.parse(query))]
    const { lines, stderr } = await runLines([...paths, join(place, 'out'), ...flags])
    for (const { file, documents, chats: counts } of golden) {
      const line = lines.find(({ input }) => input === join(place, `${file}.jsonl`))!
      expect(line, stderr).toMatchObject({ state: 'done', chats: counts, documents: documents.length })
      expect(documentsIn(line.output)).toEqual(
        documents.map(([, , at, trained]) => ({ ids: ids[at], trained })),
      )
    }
  }),
)

const two = [
  { role: 'user', content: 'Where?' },
  { role: 'assistant', content: 'There.' },
]
const good = { messages: two }
const HEADERS = ['--model', folderOf('headers')]

test.each([
  ['no messages', [good, { messages: [] }], /Line 2: .*empty/],
  ['messages that are no array', [good, { messages: 'none' }], /Line 2: `messages` must be an array/],
  ['a line without messages', [good, { note: 1 }], /Line 2: `messages` or `conversations`/],
  ['two kinds', [good, { conversations: [] }], /Line 2: it must be of the first chat's kind/],
  ['a role of ShareGPT', [{ conversations: [{ from: 'me', value: 'a' }] }], /Line 1: .*from` must be one of/],
  ['no role', [good, { messages: [{ content: 'a' }] }], /Line 2: `messages.0.role` must be a text/],
  ['tools that are no JSON', [{ ...good, tools: '[' }], /Line 1: `tools` must be an array/],
  [
    'a template in the midst',
    [good, { ...good, chat_template: 'a' }],
    /Line 2: .*may stand in a first line alone/,
  ],
  [
    'a template that raises',
    [{ chat_template: '{{ raise_exception("no roles") }}' }, good],
    /Line 2: .*no roles/,
  ],
])('%s fails the shard by its line, and leaves nothing of it', (_, lines, message) =>
  inFolder(async (folder) => {
    const [bad, right, out] = [join(folder, 'bad.jsonl'), join(folder, 'right.jsonl'), join(folder, 'out')]
    writeFileSync(bad, jsonLines(lines))
    writeFileSync(right, jsonLines([good]))
    const { code, lines: told, stderr } = await runLines([bad, right, out, ...HEADERS])
    expect(code).toBe(3)
    expect(told).toMatchObject([
      { input: bad, state: 'failed', error: expect.stringMatching(message) },
      { state: 'done' },
    ])
    expect(stderr).toMatch(`1 of 2 shards failed: ${bad}`)
    const left = Object.keys(filesIn(out)).map((name) => name.split('/').slice(0, 2).join('/'))
    expect(new Set(left)).toEqual(new Set([told[1]!.output.slice(out.length + 1), 'shards/right.jsonl']))
  }),
)

test('an input without a chat has no output; where all are refused the shard fails', () =>
  inFolder(async (folder) => {
    const [empty, out] = [join(folder, 'empty.jsonl'), join(folder, 'out')]
    writeFileSync(empty, '\n')
    const { code, lines } = await runLines([empty, out, ...HEADERS, '--mask', 'sampled'])
    expect([code, lines[0]]).toEqual([0, expect.objectContaining({ state: 'done', output: null })])
    writeFileSync(empty, jsonLines([{ chat_template: '{{ raise_exception("no") }}' }, good]))
    const refused = await runLines([empty, out, ...HEADERS, '--refused', 'skip'])
    expect([refused.code, refused.lines[0]]).toEqual([3, expect.objectContaining({ state: 'failed' })])
  }))

test('outputs without a place for a mask are refused by name', () =>
  inFolder(async (folder) => {
    const input = join(folder, 'a.jsonl')
    writeFileSync(input, jsonLines([good]))
    for (const to of ['bin', 'megatron', 'npy']) {
      const out = join(folder, to)
      const { code, stderr } = await runLines([input, out, ...HEADERS, '--to', to, '--mask', 'all'])
      expect([code, stderr]).toEqual([2, expect.stringMatching(`--mask must not be given beside --to ${to}`)])
      if (to === 'npy') continue // the folder has no tables
      const { lines } = await runLines([input, out, ...HEADERS, '--to', to])
      expect(lines[0]).toMatchObject({ state: 'failed', error: expect.stringMatching('must not be given') })
    }
    const text = join(folder, 'a.txt')
    writeFileSync(text, 'Where?')
    const texts = await runLines([text, join(folder, 'texts'), ...HEADERS, '--turns', 'each'])
    expect(texts.lines[0]).toMatchObject({ error: 'Chats must be lines of JSON. Given: text' })
    const { code, stderr } = await runLines([input, folder, ...HEADERS, '--mask', 'all', '--turns', 'each'])
    expect([code, stderr]).toEqual([2, expect.stringMatching('--turns must be whole or auto')])
  }))

test('what decides a mask decides the shard; texts beside chats are made once', () =>
  inFolder(async (folder) => {
    const [input, text, out] = [join(folder, 'a.jsonl'), join(folder, 'b.txt'), join(folder, 'out')]
    writeFileSync(input, jsonLines(chats.folders['tags-inside']!.files.kept!))
    writeFileSync(text, 'Hello, world!')
    const states = async (...flags: string[]) => {
      const { lines } = await runLines([input, text, out, '--model', folderOf('tags-inside'), ...flags])
      return lines.map(({ state }) => state)
    }
    expect(await states()).toEqual(['done', 'done'])
    expect(await states()).toEqual(['kept', 'kept'])
    expect((await states('--chat-template', 'in-macro'))[0]).toBe('done')
    expect((await states('--chat-template', 'in-macro'))[0]).toBe('kept')
    const merged = await run(['merge', out, '--list', '-'], {}, `${input}\n`)
    expect([merged.code, merged.stderr]).toEqual([1, expect.stringMatching('a.jsonl has several shards')])
  }))

test('merged shards of chats are the dataset of one upload, and texts beside them are all trained', () =>
  inFolder(async (folder) => {
    const { kept } = chats.folders.headers!.files as { kept: object[] }
    const [whole, text] = [join(folder, 'whole.jsonl'), join(folder, 'z.txt')]
    writeFileSync(whole, jsonLines(kept))
    const parts = [kept.slice(0, 3), kept.slice(3, 4), kept.slice(4)].map((part, i) => {
      const path = join(folder, `${i}.jsonl`)
      writeFileSync(path, jsonLines(part))
      return path
    })
    const out = join(folder, 'out')
    await runLines([...parts, out, ...HEADERS])
    const merged = JSON.parse((await run(['merge', out])).stdout.toString())
    const once = (await runLines([whole, join(folder, 'once'), ...HEADERS])).lines[0]!
    expect(filesIn(merged.output)).toEqual(filesIn(once.output))
    writeFileSync(text, 'The keeper hears 41 tides at dawn.')
    await runLines([text, out, ...HEADERS])
    const mixed = JSON.parse((await run(['merge', out])).stdout.toString())
    const documents = documentsIn(mixed.output)
    const last = documents.pop()!
    expect(documents).toEqual(documentsIn(once.output))
    expect(last.trained).toEqual([[0, last.ids.length]])
    rmSync(join(once.output, 'mask.bin'))
    const broken = await run(['merge', join(folder, 'once')])
    expect([broken.code, broken.stderr]).toEqual([1, expect.stringMatching('mask.bin')])
  }))

/** Files of the golden chats, each in an order of its own. @returns their paths */
function chatFiles(folder: string, count: number): string[] {
  const { kept } = chats.folders.thinking!.files as { kept: object[] }
  return Array.from({ length: count }, (_, i) => {
    const path = join(folder, `${i}.jsonl`)
    writeFileSync(path, jsonLines([...kept.slice(i), ...kept.slice(0, i)]))
    return path
  })
}

const THINKING = ['--model', folderOf('thinking'), '--type', 'jsonl']

test('one worker, eight and three make the same files, and merge to the same ids and masks', () =>
  inFolder(async (folder) => {
    const paths = chatFiles(folder, 10)
    const found = []
    for (const workers of [1, 8, 3]) {
      const out = join(folder, `of-${workers}`)
      for (let i = 0; i < workers; i++)
        await runLines([...paths, out, ...THINKING, '--shard', `${i}/${workers}`])
      expect((await run(['merge', out])).code).toBe(0)
      found.push(filesIn(out))
    }
    expect(Object.keys(found[0]!).filter((name) => name.endsWith('mask.bin'))).toHaveLength(11)
    expect(found[1]).toEqual(found[0])
    expect(found[2]).toEqual(found[0])
  }))

test('a run that is killed in the midst, and then again whole, makes the bytes of a clean one', () =>
  inFolder(async (folder) => {
    const paths = chatFiles(folder, 6)
    const stdin = jsonLines(Array(200).fill(chats.folders.thinking!.files.kept!).flat())
    const [clean, out] = [join(folder, 'clean'), join(folder, 'out')]
    await runLines(['-', ...paths, clean, ...THINKING], {}, stdin)
    const running = start(['run', '-', ...paths, out, ...THINKING, '--threads', '2'])
    running.child.stdin.write(stdin) // and no end
    const asides = (place: string) =>
      existsSync(place) ? readdirSync(place).filter((name) => name.startsWith('.aside-')) : []
    const bytes = (name: string) =>
      statSync(join(out, 'datasets', name, 'mask.bin'), { throwIfNoEntry: false })
    await until(() => existsSync(join(out, 'shards')) && readdirSync(join(out, 'shards')).length === 6)
    await until(() => asides(join(out, 'datasets')).some((name) => (bytes(name)?.size ?? 0) > 0))
    running.child.kill('SIGKILL')
    await running.ended
    expect(asides(join(out, 'datasets'))).toHaveLength(1)
    const { lines } = await runLines(['-', ...paths, out, ...THINKING], {}, stdin)
    expect(lines.map(({ state }) => state)).toEqual(['done', ...paths.map(() => 'kept')])
    expect(filesIn(out)).toEqual(filesIn(clean))
  }))

test('the documents of a chat go together to the output or its validation, and by their ids alone', () =>
  inFolder(async (folder) => {
    const lines = Array.from({ length: 60 }, (_, i) => ({
      messages: [0, 1, 2].flatMap((j) => [
        { role: 'user', content: `${i} ${j}?` },
        { role: 'assistant', content: `${i}.` },
      ]),
    }))
    const input = join(folder, 'a.jsonl')
    writeFileSync(input, jsonLines(lines))
    const dealt = async (name: string, ...flags: string[]) => {
      const out = join(folder, name)
      const asked = [input, out, ...HEADERS, '--validation', '0.4', ...flags]
      const { code, lines: told } = await runLines(asked)
      expect([code, told[0]]).toEqual([
        0,
        expect.objectContaining({ chats: expect.objectContaining({ num_chats: 60 }) }),
      ])
      expect((await runLines(asked)).lines[0]!.state).toBe('kept')
      const merged = async (place: string) => JSON.parse((await run(['merge', place])).stdout.toString())
      return [
        documentsIn((await merged(out)).output),
        documentsIn((await merged(join(out, 'validation'))).output),
      ]
    }
    const [train, held] = await dealt('each', '--turns', 'each')
    expect(train!.length + held!.length).toBe(180)
    const begins = ({ ids }: { ids: number[] }, other: { ids: number[] }) =>
      ids.every((id, i) => id === other.ids[i])
    const chatsOf = (documents: typeof train) =>
      documents!.filter((document, d) => d === 0 || !begins(documents![d - 1]!, document))
    expect([train!.length, held!.length]).toEqual([train, held].map((part) => 3 * chatsOf(part).length))
    expect(held!.length).toBeGreaterThan(30)
    const ids = (part: typeof train) => part!.map((each) => each.ids)
    const [whole, all] = [await dealt('whole'), await dealt('all', '--mask', 'all')]
    expect(all.map(ids)).toEqual(whole.map(ids))
    expect(whole[1]!.every(({ trained }) => trained.length === 3)).toBe(true)
  }))

test('safetensors: windows have loss_mask and labels, and targets of trained tokens alone', () =>
  inFolder(async (folder) => {
    const model = join(folder, 'model')
    cpSync(folderOf('headers'), model, { recursive: true })
    const { vocab_size } = JSON.parse(readFileSync(join(model, 'config.json'), 'utf8'))
    const sizes = { vocab_size, n_embd: 2, n_positions: 512, n_head: 1, n_layer: 1 }
    writeFileSync(join(model, 'config.json'), JSON.stringify({ model_type: 'gpt2', ...sizes }))
    const table = (rows: number) => ({ shape: [rows, 2], numbers: Array(2 * rows).fill(0) })
    const tables = { 'wte.weight': table(vocab_size), 'wpe.weight': table(512) }
    writeFileSync(join(model, 'model.safetensors'), tableFile(tables))
    const input = join(folder, 'a.jsonl')
    writeFileSync(input, jsonLines(chats.folders.headers!.files.kept!))
    const shape = ['--context-length', '8', '--tail', 'pad', '--pad-token-id', '0', '--ids-dtype', 'int32']
    const asked = ['--model', model, '--to', 'safetensors', ...shape]
    const names = ['input_ids', 'target_ids', 'loss_mask', 'labels']
    const outputs = names.flatMap((name) => ['--outputs', name])
    const { lines, stderr } = await runLines([input, join(folder, 'windows'), ...asked, ...outputs])
    expect(lines[0], stderr).toMatchObject({ state: 'done' })
    const tensors = tensorsIn(lines[0]!.output)
    const { output } = (await runLines([input, join(folder, 'ids'), '--model', model])).lines[0]!
    const expected = names.map(() => [] as number[])
    for (const { ids, trained } of documentsIn(output)) {
      const mask = ids.map((_, i) => trained.some(([from, to]) => from <= i && i < to))
      for (let i = 0; i < Math.ceil(ids.length / 8) * 8; i++) {
        const label = (at: number) => (mask[at] ? ids[at]! : -100)
        const slot = [ids[i] ?? 0, label(i + 1), Number(mask[i] ?? false), i % 8 === 0 ? -100 : label(i)]
        for (const [k, value] of slot.entries()) expected[k]!.push(value)
      }
    }
    expect(names.map((name) => tensors[name])).toEqual(expected)
    const usual = tensorsIn((await runLines([input, join(folder, 'usual'), ...asked])).lines[0]!.output)
    expect(Object.keys(usual)).toEqual(expect.arrayContaining(['input_ids', 'loss_mask', 'input_embeddings']))
    const cut = ['--truncation', '--max-length', '5', '--outputs', 'loss_mask', ...shape.slice(-2)]
    const whole = await runLines([input, join(folder, 'cut'), ...asked.slice(0, 4), ...cut])
    expect(whole.lines[0], whole.stderr).toMatchObject({ state: 'done' })
    const first = documentsIn(output).flatMap(({ ids, trained }) =>
      ids.slice(0, 5).map((_, i) => Number(trained.some(([from, to]) => from <= i && i < to))),
    )
    expect(tensorsIn(whole.lines[0]!.output).loss_mask).toEqual(first)
    const special = await runLines([input, join(folder, 'no'), ...asked, '--add-special-tokens'])
    expect(special.lines[0]).toMatchObject({
      error: expect.stringMatching('--add-special-tokens must not be'),
    })
  }))
