import type { Call, Command, Flag } from '../command.js'
import { UsageError } from '../exit.js'
import { byteText } from '../progress.js'
import { neededService, neededServiceFlags } from '../service-flags.js'
import { styleFor } from '../style.js'
import { visible } from '../visible.js'
import { type DatasetObject, numberText } from './dataset-object.js'
import { DatasetService } from './dataset-service.js'
import { nextLine } from './next-line.js'
import { columns } from './table.js'

const jsonFlag = (doc: string): Flag => ({ name: 'json', doc })

/** `inlet dataset ls`: the datasets of a service. */
export const ls: Command = {
  name: 'ls',
  summary: 'Lists the datasets of a service, the newest first.',
  usage: 'dataset ls [flags]',
  examples: ['inlet dataset ls', 'inlet dataset ls --json --url http://localhost:8000'],
  flagGroups: [
    {
      title: 'Flags',
      flags: [jsonFlag('One JSON array, for programs. Default: a table.'), ...neededServiceFlags],
    },
  ],
  maxFiles: 0,
  async run({ values, signal }: Call) {
    const found = await new DatasetService(neededService(values), signal).list()
    if (values.has('json')) {
      process.stdout.write(`${JSON.stringify(found, null, 2)}\n`)
      return
    }
    const [head, ...lines] = columns([HEAD, ...found.map(cells)], (column) => column > 2 && column < 6)
    if (found.length > 0)
      process.stdout.write(`${[styleFor(process.stdout).bold(head!), ...lines].join('\n')}\n`)
    else process.stderr.write('There are no datasets.\n')
    nextLine(values, found.length === 0 ? 'push FILE --encoding gpt2' : `show ${found[0]!.id}`)
  },
}

const HEAD = ['id', 'name', 'encoding', 'documents', 'tokens', 'size', 'uploaded']

function cells(dataset: DatasetObject): string[] {
  const { id, name, encoding, num_documents, num_tokens, size_bytes, mixture, created } = dataset
  const counts =
    mixture === undefined
      ? [numberText(num_documents ?? 0), numberText(num_tokens ?? 0), byteText(size_bytes ?? 0)]
      : [`of ${mixture.length}`, '', '']
  return [
    ...[visible(id), visible(name ?? ''), visible(encoding ?? 'ids')],
    ...[...counts, new Date(created * 1000).toISOString().slice(0, 16).replace('T', ' ')],
  ]
}

/** `inlet dataset show`: all that a service says of a dataset. */
export const show: Command = {
  name: 'show',
  summary: 'Shows a dataset: its encoding, counts, bytes and hash.',
  usage: 'dataset show ID [flags]',
  examples: ['inlet dataset show ds_iy64f3ouosrs6ybprctvyvsiak'],
  flagGroups: [
    {
      title: 'Flags',
      flags: [jsonFlag('JSON, for programs. Default: a line for each field.'), ...neededServiceFlags],
    },
  ],
  maxFiles: 1,
  async run({ files, values, signal }: Call) {
    const id = neededId(files, 'show')
    const dataset = await new DatasetService(neededService(values), signal).show(id)
    if (values.has('json')) {
      process.stdout.write(`${JSON.stringify(dataset, null, 2)}\n`)
      return
    }
    process.stdout.write(`${columns(Object.entries(dataset).map(fieldCells)).join('\n')}\n`)
    nextLine(values, `plan ${id} --context-length 1024 --batch-size 32`)
  },
}

function fieldCells([name, value]: [string, unknown]): string[] {
  if (name === 'created') return [name, new Date(Number(value) * 1000).toISOString()]
  if (typeof value === 'number') return [name, numberText(value)]
  if (typeof value === 'string') return [name, visible(value)]
  return [visible(name), value === null ? '–' : visible(JSON.stringify(value))]
}

/** `inlet dataset rm`: deletes datasets. */
export const rm: Command = {
  name: 'rm',
  summary: 'Deletes datasets: with the key that uploaded them, or the admin key.',
  usage: 'dataset rm ID… [flags]',
  examples: ['inlet dataset rm ds_iy64f3ouosrs6ybprctvyvsiak'],
  flagGroups: [{ title: 'Flags', flags: neededServiceFlags }],
  maxFiles: Number.POSITIVE_INFINITY,
  async run({ files, values, signal }: Call) {
    neededId(files, 'rm')
    const service = new DatasetService(neededService(values), signal)
    for (const id of files) {
      await service.remove(id)
      process.stderr.write(`${visible(id)} is deleted.\n`)
    }
  },
}

/** @throws UsageError where no id is given */
export function neededId([id]: readonly string[], command: string): string {
  if (id !== undefined) return id
  throw new UsageError(
    `inlet dataset ${command}: the id of a dataset is needed; inlet dataset ls lists them.`,
  )
}
