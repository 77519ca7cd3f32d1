import { datasetUpload, readDatasetUpload } from '../../wire/schemas/dataset-upload.js'
import { fieldsOf } from '../../wire/schemas/fields.js'
import type { Call, Command } from '../command.js'
import { CommandError, UsageError } from '../exit.js'
import { FieldFlags } from '../field-flags.js'
import { openInput } from '../input.js'
import { Progress, quietFlag, secondsText } from '../progress.js'
import { neededService, neededServiceFlags } from '../service-flags.js'
import { styleFor } from '../style.js'
import { visible } from '../visible.js'
import { factsText } from './dataset-object.js'
import { DatasetService, type Pushed } from './dataset-service.js'
import { nextLine } from './next-line.js'
import { type UploadFile, uploadFile } from './upload-file.js'

const uploadFlags = new FieldFlags(fieldsOf(datasetUpload))

/** `inlet dataset push`: files as datasets. */
export const push: Command = {
  name: 'push',
  summary:
    'Uploads each file as a dataset, and prints its id. The same content again is the same dataset, and takes no room.',
  usage: 'dataset push FILE… [flags]',
  examples: [
    'inlet dataset push corpus.jsonl --encoding gpt2 --document-end endoftext',
    'inlet dataset push train.bin --encoding gpt2 --dtype uint16 --separator-id 50256',
    'zcat corpus.txt.gz | inlet dataset push - --type txt --documents lines --model gpt2',
  ],
  flagGroups: [
    {
      title: 'Where from, where to',
      flags: [
        {
          name: 'type',
          value: 'TYPE',
          doc: 'txt, ndjson (a line {"text"} or {"input_ids"}), bin (ids without a header), or a media type. Default: by the file’s ending, before .gz or .br, which are sent packed. - is stdin.',
        },
        ...neededServiceFlags,
        { name: 'json', doc: 'The datasets as JSON, one a line, with "is_new". Default: their ids.' },
        quietFlag,
      ],
    },
    { title: 'What the files hold', flags: uploadFlags.flags },
  ],
  maxFiles: Number.POSITIVE_INFINITY,
  run: runPush,
}

async function runPush({ files: paths, values, signal }: Call): Promise<void> {
  if (paths.length === 0) throw new UsageError('inlet dataset push: a file is needed, or - for stdin.')
  if (paths.length > 1 && values.has('name')) {
    throw new UsageError(`--name must not be given for ${paths.length} files: each is a dataset of its own.`)
  }
  const files = paths.map((path) => uploadFile(path, values.get('type')))
  const queries = files.map((file) => checkedQuery(file, values))
  const service = new DatasetService(neededService(values), signal)
  let last: Pushed | undefined
  for (const [i, file] of files.entries()) {
    last = await pushFile(service, file, queries[i]!, values.has('quiet'))
    const { dataset, isNew } = last
    const line = values.has('json') ? JSON.stringify({ ...dataset, is_new: isNew }) : visible(dataset.id)
    process.stdout.write(`${line}\n`)
  }
  if (!values.has('json') && !values.has('quiet')) {
    nextLine(values, `plan ${last!.dataset.id} --context-length 1024 --batch-size 32`)
  }
}

/** The query of an upload; the file's name is the dataset's where `--name` does not give another. */
function checkedQuery({ type, name }: UploadFile, values: ReadonlyMap<string, string>): string {
  const query = uploadFlags.query(
    name === undefined || values.has('name') ? values : new Map([...values, ['name', name]]),
  )
  uploadFlags.checked(() => readDatasetUpload(query, type))
  return query
}

async function pushFile(
  service: DatasetService,
  { path, type, coding }: UploadFile,
  query: string,
  isQuiet: boolean,
): Promise<Pushed> {
  // Where there is no terminal, the line at the end is enough.
  const progress = new Progress(process.stderr, styleFor(process.stderr), isQuiet || !process.stderr.isTTY)
  try {
    const input = await openInput(path)
    const started = performance.now()
    progress.stage('sending', input.bytes)
    const sent = (bytes: number) => progress.add(bytes)
    const pushed = await service.push(query, { ...{ type, coding, sent }, ...input })
    const seconds = secondsText((performance.now() - started) / 1000)
    const found = pushed.isNew ? `uploaded in ${seconds}` : 'was there already'
    progress.end()
    if (!isQuiet) {
      process.stderr.write(`${visible(input.name)}: ${factsText(pushed.dataset)}; ${found}\n`)
    }
    return pushed
  } catch (error) {
    if (error instanceof UsageError || !(error instanceof CommandError)) throw error
    throw new CommandError(`${path}: ${error.message}`, { cause: error })
  } finally {
    progress.end()
  }
}
