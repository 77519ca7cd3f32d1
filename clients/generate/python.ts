import {
  argumentName,
  type ClientFunction,
  type Field,
  KEY,
  neededSchemas,
  type OpenApi,
} from './interface.js'
import { pythonType, pythonTypes, WIDER } from './python-types.js'

const GENERATED = '# Made from openapi.yaml by clients/generate. Do not edit.'
const WIDTH = 100

/** `types.py`: what is asked and answered, as `TypedDict` and `Literal`. */
export function pythonTypesModule(document: OpenApi, functions: readonly ClientFunction[]): string {
  const roots = functions.flatMap(({ fields, answer, gives }) => [
    ...fields.filter(({ name }) => WIDER[name] === undefined).map(({ schema }) => schema),
    ...(gives === 'json' && answer ? [{ $ref: answer }] : []),
  ])
  return `${GENERATED}
"""What the service is asked and what it answers."""

from typing import Dict, List, Literal, Optional, TypedDict, Union

${pythonTypes(document, neededSchemas(document, roots))}
`
}

/** A class of methods that wait for their answers, or of methods that are awaited. */
interface Manner {
  readonly className: string
  readonly base: string
  readonly define: string
  readonly wait: string
}

const WAITING: Manner = { className: 'Operations', base: 'Asking', define: 'def', wait: '' }
const AWAITED: Manner = {
  className: 'AsyncOperations',
  base: 'AsyncAsking',
  define: 'async def',
  wait: 'await ',
}

/** `operations.py` and `async_operations.py`: a method for each operation, and one for the batches of an epoch. */
export function pythonOperationsModules(functions: readonly ClientFunction[]): readonly [string, string] {
  const all = functions.flatMap((each) =>
    each.path === '/v1/input-embeddings' ? [each, batchesOf(each)] : each,
  )
  return [operationsModule(all, WAITING), operationsModule(all, AWAITED)]
}

/** The epoch's batches by one call. */
function batchesOf(operation: ClientFunction): ClientFunction {
  const fields = operation.fields
    .filter(({ name }) => name !== 'batch_index')
    .map((field) => (field.name === 'batch_size' ? { ...field, required: true } : field))
  const description =
    'The batches of an epoch, as PyTorch’s DataLoader gives them. One call: the tensors of the whole epoch lie in memory'
  return { ...operation, name: 'batches', gives: 'batches', description, fields }
}

function operationsModule(functions: readonly ClientFunction[], manner: Manner): string {
  const methods = functions.map((each) => method(each, manner)).join('\n\n')
  const imported = (names: readonly string[]) =>
    names.filter((name) => new RegExp(`\\b${name}\\b`).test(methods))
  const roots = functions.flatMap(({ fields }) => fields.map(({ schema }) => schema))
  const referred = [...JSON.stringify(roots).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(
    ([, name]) => name!,
  )
  const types = [...referred, ...functions.flatMap(({ answer }) => answer ?? [])]
  return `${GENERATED}
"""One method for each operation of the service."""

from typing import ${imported(['Dict', 'Iterator', 'Literal', 'Optional', 'Sequence', 'Union']).join(', ')}

from .asking import ${manner.base}
from .forms import JSON, TENSORS, TEXT, VECTORS, segment
from .tensors import Embeddings, Tensors
from .types import (
${imported([...new Set(types)])
  .sort()
  .map((name) => `    ${name},`)
  .join('\n')}
)
from .values import Ids, Numbers, TensorFile, new_key


class ${manner.className}(${manner.base}):
${methods}
`
}

function method(operation: ClientFunction, { define, wait }: Manner): string {
  const { name, gives, answer } = operation
  const returns = RETURNS[gives] ?? answer ?? 'None'
  const asked = `${wait}${callOf(operation)}`
  const call = gives !== 'batches' ? asked : `${wait === '' ? asked : `(${asked})`}.batches(batch_size)`
  const last =
    gives !== 'json' ? [`return ${call}`] : answer ? [`answer: ${answer} = ${call}`, 'return answer'] : [call]
  return [
    `    ${define} ${name}(`,
    ...argumentsOf(operation).map((line) => `        ${line},`),
    `    ) -> ${returns}:`,
    docstring(operation),
    ...last.map((line) => `        ${line}`),
  ].join('\n')
}

const RETURNS: Readonly<Partial<Record<ClientFunction['gives'], string>>> = {
  ...{ tensors: 'Tensors', batches: 'Iterator[Tensors]', vectors: 'Embeddings', text: 'str' },
}

const FORMS = { tensors: 'TENSORS', batches: 'TENSORS', vectors: 'VECTORS', text: 'TEXT', json: 'JSON' }

/** Fields of the path, those that are required and the text come by position, all others by name. */
function argumentsOf({ fields, takesTensors, takesRawText, reads }: ClientFunction): string[] {
  const isDefault = (field: Field) => reads && field.in === 'path' && field.name === 'model'
  const needed = takesRawText ? [] : fields.filter((field) => field.required && !isDefault(field))
  const byPosition = needed.length > 0 || !fields[0] ? needed : [fields[0]]
  const byName = fields.filter((field) => !byPosition.includes(field))
  const onlyTensors = takesTensors && !fields.some((field) => field.in === 'body')
  const argument = (field: Field) => {
    const type = typeOf(field, takesRawText)
    if (isDefault(field)) return 'model: str = "default"'
    return field.required
      ? `${argumentName(field)}: ${type}`
      : `${argumentName(field)}: ${optional(type)} = None`
  }
  return [
    'self',
    ...byPosition.map(argument),
    ...(onlyTensors ? ['tensors: TensorFile'] : []),
    '*',
    ...byName.map(argument),
    ...(takesTensors && !onlyTensors ? ['tensors: Optional[TensorFile] = None'] : []),
    'timeout: Optional[float] = None',
  ]
}

/** Arguments that take a list which a program has made, whose literals a type checker does not know. */
const LOOSER: Readonly<Record<string, string>> = { outputs: 'Sequence[str]' }

function typeOf(field: Field, takesRawText: boolean): string {
  const own = WIDER[field.name] ?? LOOSER[field.name] ?? pythonType(field.schema, 'Sequence', () => 'object')
  // Words of which some are Python's own: `True` is sent as `true`.
  const type = own.startsWith('Literal["false", "true"') ? `Union[bool, ${own}]` : own
  return takesRawText && field.name === 'text' ? `Union[bytes, ${type}]` : type
}

function optional(type: string): string {
  return type.startsWith('Optional[') ? type : `Optional[${type}]`
}

function callOf(called: ClientFunction): string {
  const { gives, method, path, fields, takesRawText, takesTensors, reads, isKeyed } = called
  const inside = (place: Field['in']) =>
    fields
      .filter((field) => field.in === place)
      .map((field) => {
        const given = argumentName(field)
        return `${JSON.stringify(field.name)}: ${given}${field.name === KEY ? ' or new_key()' : ''}`
      })
  const group = (name: string, place: Field['in']) => {
    const entries = inside(place)
    if (entries.length === 0) return []
    return [`${name}={\n${entries.map((entry) => `                ${entry},\n`).join('')}            }`]
  }
  const target = path.includes('{') ? `f"${path.replaceAll(/\{(\w+)\}/g, '{segment($1)}')}"` : `"${path}"`
  const given = [
    FORMS[gives],
    `"${method}"`,
    target,
    ...group('query', 'query'),
    ...group('headers', 'header'),
    ...group('body', 'body'),
    ...(takesRawText ? ['raw="text"'] : []),
    ...(takesTensors ? ['tensors=tensors'] : []),
    ...(reads || isKeyed ? [] : ['repeat=False']),
    'timeout=timeout',
  ]
  return `self._ask(\n${given.map((each) => `            ${each},\n`).join('')}        )`
}

function docstring({ description, fields, takesTensors }: ClientFunction): string {
  const lines = [...wrapped(`"""${sentence(description)}`, 8, 8), '']
  for (const field of fields)
    lines.push(...wrapped(`:param ${argumentName(field)}: ${sentence(field.description)}`, 8, 12))
  if (takesTensors) lines.push(...wrapped(':param tensors: Arrays by name, or a safetensors file.', 8, 12))
  lines.push(
    ...wrapped(':param timeout: Seconds that the service may be silent. Default: the client’s.', 8, 12),
  )
  return [...lines, '        """'].join('\n')
}

function sentence(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll('\\', '\\\\').trim()
}

function wrapped(text: string, first: number, rest: number): string[] {
  const lines: string[] = []
  let line = ' '.repeat(first - 1)
  for (const word of text.split(' ')) {
    if (line.trim() !== '' && line.length + word.length + 1 > WIDTH) {
      lines.push(line)
      line = ' '.repeat(rest - 1)
    }
    line += ` ${word}`
  }
  return [...lines, line.trimEnd()]
}
