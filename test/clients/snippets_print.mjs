// snippets_print.mjs http://127.0.0.1:8000 FOLDER: writes the Python and PyTorch lines that the page prints, a folder for
// each, with the file that they read and the array that the service gives.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const [base, folder] = process.argv.slice(2)

const { loadAnswer, Inlet, snippetOf, takenOf, presets } = await explorer()
const client = new Inlet(base)

const batch = { batch_size: 2, batch_index: 0 }
const text = presets[2].recipe.text
const hostile = `it's "quoted" \\ $HOME \\n \u0000\u001b\u2028 \u{1f408} ''' """ \r\n{} %s #`
const windows = { text, documents: 'one', context_length: 4, ...batch }

const recipes = {
  'the first preset': presets[0].recipe,
  'hostile text': { text: hostile, documents: 'one', ...batch },
  'several hostile texts': {
    text: `${hostile}\n'''\n\\`,
    documents: 'lines',
    context_length: 4,
    tail: 'pad',
    ...batch,
  },
  ids: { text: '2 3 5 1', documents: 'ids', model: 'tiny', ...batch },
  'a later batch, with an offset': { ...windows, stride: 2, batch_index: 1, position_offset: 7 },
  shuffled: { ...windows, seed: 11 },
  'many ids': { ...windows, context_length: 256, batch_size: 4 },
  'a long text': { ...windows, text: text.repeat(20) },
  sinusoids: { ...windows, context_length: 32, position_embedding: 'sinusoidal' },
  rope: { ...windows, position_embedding: 'rope' },
  'a small spread': { ...windows, model: 'small-spread' },
  'BERT adds more': { ...windows, model: 'bert' },
}
const outputs = ['token_embeddings', 'position_embeddings', 'input_embeddings', 'input_ids']

const cases = []
for (const [name, recipe] of Object.entries(recipes)) {
  const answer = await loadAnswer(client, recipe)
  for (const output of outputs) {
    if (output === 'position_embeddings' && answer.rows.position === undefined) continue
    const source = { service: `${base}/`, needsKey: false }
    for (const way of ['Python', 'PyTorch']) {
      const snippet = snippetOf(way, answer, output, source)
      cases.push({ name, way, output, why: snippet.why ?? null })
      const place = join(folder, String(cases.length - 1))
      await mkdir(place)
      await writeFile(join(place, 'expected.npy'), await npy(takenOf(answer, output, source)))
      if (snippet.why !== undefined) continue
      await writeFile(join(place, 'snippet.py'), snippet.code)
      if (snippet.file !== undefined) await writeFile(join(place, snippet.file.name), snippet.file.content)
    }
  }
}
await writeFile(join(folder, 'cases.json'), JSON.stringify(cases))

/** The page's own modules. */
async function explorer() {
  const page = ['load.js', 'take.js', 'recipe.js'].map((file) => `src/features/explorer/page/${file}`)
  const modules = [...page, 'clients/typescript/src/index.js']
  const entry = modules.map((module) => `export * from './${module}'`).join('\n')
  const bundle = await rolldown({
    input: 'entry',
    platform: 'node',
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === 'entry' ? join(process.cwd(), 'entry.js') : null),
        load: (id) => (id === join(process.cwd(), 'entry.js') ? entry : null),
      },
    ],
    resolve: { extensionAlias: { '.js': ['.ts', '.tsx', '.js'] } },
    moduleTypes: { '.txt': 'text' },
  })
  const file = join(folder, 'explorer.mjs')
  await bundle.write({ format: 'esm', file })
  return import(pathToFileURL(file).href)
}

async function npy({ address, body }) {
  const headers = { accept: 'application/x-npy', 'content-type': 'application/json' }
  const response = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(await response.text())
  return Buffer.from(await response.arrayBuffer())
}
