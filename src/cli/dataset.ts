import { basename, extname } from 'node:path'
import type { CorpusCard, MixtureCard } from '../corpus/dataset-card.js'
import { datasetUpload, readDatasetUpload, UPLOAD_TYPES, type UploadType } from '../corpus/upload-options.js'
import { recipeSchema } from '../first-layer/datasets/recipe-options.js'
import { DEFAULT_ENCODING } from '../first-layer/tokens/encodings.js'
import { check } from './dataset-check.js'
import { FieldFlags } from './field-flags.js'
import { openInput } from './files.js'
import { type Call, type Command, type CommandGroup, failing, flagsIn, oneOf, UsageError } from './program.js'
import { callService, type Service, serviceFlags, serviceOf } from './service.js'
import {
  byteText,
  columns,
  countText,
  frameText,
  numberText,
  Progress,
  quietFlag,
  secondsText,
  styleFor,
  visible,
} from './terminal.js'

/** A dataset as the service shows it; a mixture has members in place of tokens. */
type DatasetObject = Pick<CorpusCard, 'id' | 'name' | 'encoding' | 'created'> &
  Partial<CorpusCard & MixtureCard> & { readonly stored: string }

const uploadFlags = new FieldFlags(datasetUpload)

const push: Command = {
  name: 'push',
  summary:
    'Uploads each file as a dataset, and prints its id. The same content again is the same dataset, and takes no room.',
  takes: '<FILE...>',
  examples: [
    'inlet dataset push corpus.jsonl --document-end endoftext',
    'inlet dataset push train.bin --encoding gpt2 --dtype uint16 --separator-id 50256',
    'zcat corpus.txt.gz | inlet dataset push - --type txt --documents lines --model gpt2',
  ],
  flags: {
    'Where from, where to': flagsIn({
      '--type <TYPE>':
        'txt, ndjson (a line {"text"} or {"input_ids"}), bin (ids without a header), or a media type. Default: by the file’s ending, before .gz or .br, which are sent packed. - is stdin.',
      ...serviceFlags,
      '--json': 'The datasets as JSON, one a line, with "is_new". Default: their ids.',
      ...quietFlag,
    }),
    'What the files hold; texts are encoded by gpt2 where no flag says another': uploadFlags.flags,
  },
  async run(call: Call) {
    const { files: paths, values } = call
    if (paths.length > 1 && values.has('name'))
      throw new UsageError(
        `--name must not be given for ${paths.length} files: each is a dataset of its own.`,
      )
    const files = paths.map((path) => uploadFile(path, values.get('type')))
    const queries = files.map((file) => checkedQuery(file, values))
    const service = serviceOf(values)
    if (!values.has('document-end') && !values.has('separator-id') && !values.has('quiet'))
      process.stderr.write('Documents get no end token: --document-end endoftext appends one to each.\n')
    for (const [i, file] of files.entries()) await pushFile(service, file, queries[i], call)
  },
}

/** The query of an upload; the dataset gets the file's name unless `--name` gives another. */
function checkedQuery({ type, path }: UploadFile, values: ReadonlyMap<string, string>): string {
  const given = new Map(values)
  if (path !== '-' && !given.has('name')) given.set('name', basename(path))
  if (type !== IDS && !given.has('encoding') && !given.has('model')) given.set('encoding', DEFAULT_ENCODING)
  const query = uploadFlags.query(given)
  uploadFlags.checked(() => readDatasetUpload(query, type))
  return query
}

async function pushFile(
  service: Service,
  { path, type, coding }: UploadFile,
  query: string,
  { values, signal }: Call,
): Promise<void> {
  using progress = new Progress(values)
  const { name, stream, bytes } = await openInput(path)
  progress.stage('sending', bytes)
  const body = { type, coding, stream, bytes, sent: (more: number) => progress.add(more) }
  const call = { method: 'POST', path: `v1/datasets?${query}`, signal, body } as const
  const { status, text } = await callService(service, call).catch(failing(path))
  const made: DatasetObject = JSON.parse(text)
  const isNew = status === 201
  const end = isNew ? `uploaded in ${secondsText(progress.seconds)}` : 'was there already'
  progress.write(`${visible(name)}: ${factsText(made)}; ${end}`)
  const line = values.has('json') ? JSON.stringify({ ...made, is_new: isNew }) : visible(made.id)
  process.stdout.write(`${line}\n`)
}

/** `3 documents, 964 tokens (gpt2), 1.9 kB on disk`; a temporary folder is named, since it ends with the service. */
function factsText({ encoding, size_bytes = 0, stored, ...made }: DatasetObject): string {
  const of = encoding === null ? 'ids of no encoding' : visible(encoding)
  const place = stored === 'disk' ? 'on disk' : 'in a temporary folder'
  const counts = `${countText(made.num_documents ?? 0, 'document')}, ${countText(made.num_tokens ?? 0, 'token')}`
  return `${counts} (${of}), ${byteText(size_bytes)} ${place}${frameText(made)}`
}

const HEAD = ['id', 'name', 'encoding', 'documents', 'tokens', 'size', 'uploaded']

const ls: Command = {
  name: 'ls',
  summary: 'Lists the datasets of a service, the newest first.',
  examples: ['inlet dataset ls', 'inlet dataset ls --json --url http://localhost:8000'],
  flags: {
    Flags: flagsIn({ '--json': 'One JSON array, for programs. Default: a table.', ...serviceFlags }),
  },
  async run({ values, signal }: Call) {
    const service = serviceOf(values)
    const all: DatasetObject[] = []
    for (let hasMore = true; hasMore; ) {
      const after = all.length === 0 ? '' : `&after=${encodeURIComponent(all.at(-1)!.id)}`
      const page = await getJson(service, `?limit=1000${after}`, signal)
      all.push(...page.data)
      hasMore = page.has_more && page.data.length > 0
    }
    if (values.has('json')) return void process.stdout.write(`${JSON.stringify(all, null, 2)}\n`)
    if (all.length === 0) return void process.stderr.write('There are no datasets.\n')
    const [head, ...lines] = columns([HEAD, ...all.map(cells)], (column) => column > 2 && column < 6)
    process.stdout.write(`${[styleFor(process.stdout).bold(head!), ...lines].join('\n')}\n`)
  },
}

function cells({ id, name, encoding, mixture, created, ...sizes }: DatasetObject): string[] {
  const { num_documents = 0, num_tokens = 0, size_bytes = 0 } = sizes
  const counts =
    mixture === undefined
      ? [numberText(num_documents), numberText(num_tokens), byteText(size_bytes)]
      : [`of ${mixture.length}`, '', '']
  const date = new Date(created * 1000).toISOString().slice(0, 16).replace('T', ' ')
  return [visible(id), visible(name ?? ''), visible(encoding ?? 'ids'), ...counts, date]
}

const rm: Command = {
  name: 'rm',
  summary: 'Deletes datasets: with the key that uploaded them, or the admin key.',
  takes: '<ID...>',
  examples: ['inlet dataset rm ds_iy64f3ouosrs6ybprctvyvsiak'],
  flags: { Flags: flagsIn(serviceFlags) },
  async run({ files, values, signal }: Call) {
    const service = serviceOf(values)
    for (const id of files) {
      await callService(service, { method: 'DELETE', path: `v1/datasets/${encodeURIComponent(id)}`, signal })
      process.stderr.write(`${visible(id)} is deleted.\n`)
    }
  },
}

const recipeFlags = new FieldFlags(recipeSchema)

const show: Command = {
  name: 'show',
  summary: 'Shows a dataset; with --step the documents that a training run saw at that step.',
  takes: '<ID>',
  examples: [
    'inlet dataset show ds_iy64f3ouosrs6ybprctvyvsiak --step 120 --context-length 64 --batch-size 8 --text',
  ],
  flags: {
    Flags: flagsIn({
      '--step <N>': 'The N-th batch of a loop over all epochs, from 0; the first one is that of --epoch.',
      '--text': 'The texts too, what is trained in green.',
      ...serviceFlags,
    }),
    'The recipe, as the run asks for its batches': recipeFlags.flags,
  },
  async run({ files: [id = ''], values, signal }: Call) {
    const service = serviceOf(values)
    const path = `/${encodeURIComponent(id)}`
    const { bold, good } = styleFor(process.stdout)
    const print = (lines: readonly string[]) => void process.stdout.write(`${lines.join('\n')}\n`)
    const given = values.get('step')
    if (given === undefined) return print(columns(factsOf(await getJson(service, path, signal)), () => false))
    const step = Number(given)
    if (!/^\d+$/.test(given)) throw new UsageError(`--step must be an integer, 0 or more. Given: ${given}`)
    const query = recipeFlags.query(values)
    const { num_batches: batches = step + 1 } = await getJson(service, `${path}/batches?${query}`, signal)
    const epoch = Number(values.get('epoch') ?? 0) + Math.floor(step / batches)
    const asked = recipeFlags.query(new Map([...values, ['epoch', String(epoch)]]))
    const place = `${path}/batches/${step % batches}/documents`
    const { documents } = await getJson(service, `${place}?${asked}&text=${values.has('text')}`, signal)
    const names = [...new Set(documents.flatMap(Object.keys))].filter((name) => name !== 'texts') as string[]
    const cells = documents.map((seen: SeenDocument) => names.map((name) => visible(`${seen[name] ?? ''}`)))
    const [head, ...lines] = columns([names, ...cells], () => true)
    process.stderr.write(`Epoch ${epoch}, batch ${step % batches}:\n`)
    const textOf = ({ texts = [] }: SeenDocument) =>
      texts.map(({ text, trained }) => (trained ? good : String)(visible(text, '\n'))).join('')
    const below = (i: number) => (values.has('text') ? [textOf(documents[i]), ''] : [])
    print([bold(head!), ...lines.flatMap((line, i) => [line, ...below(i)])])
  },
}

type SeenDocument = Readonly<Record<string, unknown>> & {
  readonly texts?: readonly { readonly text: string; readonly trained: boolean }[]
}

/** The JSON of an answer. @param path below that of datasets */
async function getJson(service: Service, path: string, signal: AbortSignal) {
  return JSON.parse((await callService(service, { method: 'GET', path: `v1/datasets${path}`, signal })).text)
}

/** The members of an object, those of inner ones by their paths: `chats.num_chats`. */
function factsOf(object: object, path = ''): string[][] {
  return Object.entries(object).flatMap(([name, value]) =>
    value?.constructor === Object
      ? factsOf(value, `${path}${name}.`)
      : [[path + name, visible(typeof value === 'string' ? value : JSON.stringify(value))]],
  )
}

/** `inlet dataset …`: corpora that a service keeps as ids. */
export const dataset: CommandGroup = {
  name: 'dataset',
  summary: 'Uploads corpora to a service, lists, shows and deletes them; checks chats.',
  commands: [push, ls, show, rm, check],
}

const [TEXT, NDJSON, IDS] = UPLOAD_TYPES

const TYPES: Readonly<Record<string, UploadType>> = {
  '.txt': TEXT,
  '.text': TEXT,
  '.ndjson': NDJSON,
  '.jsonl': NDJSON,
  '.bin': IDS,
}

/** Values of `Content-Encoding` by the endings of packed files. */
const CODINGS: Readonly<Record<string, string>> = { '.gz': 'gzip', '.br': 'br' }

type UploadFile = ReturnType<typeof uploadFile>

/**
 * How a file is sent, by its ending: `corpus.jsonl.gz` is newline-delimited JSON, packed with gzip.
 *
 * @param given the value of `--type`: an ending or a media type, in place of the file's ending
 * @throws UsageError if neither says the type
 */
function uploadFile(path: string, given?: string) {
  const packing = extname(path).toLowerCase()
  const coding = CODINGS[packing]
  const ending = extname(coding === undefined ? path : path.slice(0, -packing.length)).toLowerCase()
  const named = given === undefined ? ending : `.${given}`
  const type = TYPES[named] ?? UPLOAD_TYPES.find((each) => each === given)
  if (type !== undefined) return { path, type, coding }
  if (given !== undefined) oneOf('type', ['txt', 'ndjson', 'bin', ...UPLOAD_TYPES], given)
  const [types, codings] = [TYPES, CODINGS].map((known) => Object.keys(known).join(', '))
  throw new UsageError(`--type is needed: ${path} ends with none of ${types} (or these and ${codings}).`)
}
