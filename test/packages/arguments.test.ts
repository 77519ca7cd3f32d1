import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { isCalledByOthers, NO_ARGUMENTS } from '../../clients/generate/functions.js'
import { argumentName } from '../../clients/generate/interface.js'
import type { JsonObject } from '../../src/service/document/components.js'
import { DOCUMENT, documentedOperations } from '../service/document/documented.js'

const PYTHON = readFileSync('clients/python/src/inlet_client/operations.py', 'utf8')
const TYPESCRIPT = readFileSync('clients/typescript/src/operations.ts', 'utf8')
const called = documentedOperations.filter(({ method, path }) => !isCalledByOthers(method, path))

function component(ref: string): JsonObject {
  return ref
    .split('/')
    .slice(1)
    .reduce((value, key) => value[key] as JsonObject, DOCUMENT)
}

/** Names of all fields that a caller can send, as Python writes them. */
function fieldsOf({ parameters = [], requestBody }: (typeof called)[number]['operation']): string[] {
  const inHead = parameters.map((each) => (each.$ref ? component(each.$ref).name : each.name) as string)
  const body = requestBody?.content['application/json'] as { schema?: { $ref: string } } | undefined
  const inBody = body?.schema ? Object.keys(component(body.schema.$ref).properties as JsonObject) : []
  const file = requestBody && 'application/vnd.safetensors' in requestBody.content ? ['tensors'] : []
  const names = [...inHead, ...inBody, ...file].map((name) => argumentName({ name: name.split('.')[0]! }))
  return [...new Set(names)]
    .filter((name) => !NO_ARGUMENTS.some((other) => argumentName({ name: other }) === name))
    .sort()
}

/** The arguments of the Python method that calls an operation. */
function argumentsIn(method: string, path: string): string[] {
  const target = path.replaceAll(/\{(\w+)\}/g, '{segment($1)}')
  const calls = `"${method.toUpperCase()}",\n            ${path === target ? '' : 'f'}"${target}",`
  const source = PYTHON.split(/^ {4}def /m).find((each) => each.includes(calls)) ?? ''
  const [head] = source.split(') ->')
  return Array.from(head.matchAll(/^ {8}(\w+):/gm), ([, name]) => name).filter((name) => name !== 'timeout')
}

describe('the clients', () => {
  it.each(called)('call $method $path with each of its fields', ({ method, path, operation }) => {
    expect(argumentsIn(method, path).sort()).toEqual(fieldsOf(operation))
    const target = path.replaceAll(/\{(\w+)\}/g, (_, name) => `\${encodeURIComponent(${name})}`)
    const quote = target === path ? "'" : '`'
    expect(TYPESCRIPT).toContain(`method: '${method.toUpperCase()}', path: ${quote}${target}${quote}`)
  })

  it.each([
    ['python', PYTHON, /^ {4}def ([a-z]\w*)\(/gm],
    ['typescript', TYPESCRIPT, /^ {2}([a-z]\w*)\(.*Promise</gm],
  ])('name each function in the README (%s)', (client, source, pattern) => {
    const [list] = /^- \*\*(Functions|Methods)\*\*.*$/m.exec(
      readFileSync(`clients/${client}/README.md`, 'utf8'),
    )!
    const functions = Array.from(source.matchAll(pattern), ([, name]) => name)
    expect(functions.length).toBeGreaterThan(20)
    for (const name of functions) expect(list).toContain(`\`${name}\``)
  })

  it('have the version of the service', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
    expect(JSON.parse(readFileSync('clients/typescript/package.json', 'utf8')).version).toBe(version)
    expect(readFileSync('clients/python/pyproject.toml', 'utf8')).toContain(`\nversion = "${version}"\n`)
  })
})
