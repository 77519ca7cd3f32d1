import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { ERRORS } from '../../src/errors.js'
import { positionSchemes } from '../../src/first-layer/embeddings/positions/registry.js'
import { ALL_OUTPUTS } from '../../src/first-layer/outputs.js'
import { NOT_IMPLEMENTED } from '../../src/http/v2/not-implemented.js'
import { openApiDocument } from '../../src/openapi/document.js'
import type { ExampleAnswers } from '../../src/openapi/example-answers.js'
import { exampleAnswers } from '../../src/openapi/example-answers.js'
import type { JsonObject } from '../../src/openapi/json.js'
import { OUTPUT_DOCS } from '../../src/openapi/output-docs.js'
import { DOCUMENT, documentedOperations, FILE, services } from './documented.js'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))

/** The paths of a printed tree of routes: a branch is indented by four columns for each parent. */
function treePaths(tree: string): string[] {
  const parents: string[] = []
  return tree.split('\n').flatMap((line) => {
    const [, indent, part, methods] = /^(.*?)[└├]── (\S+)( \(.*)?/.exec(line) ?? []
    if (part === undefined) return []
    const depth = indent.length / 4
    parents[depth] = (parents[depth - 1] ?? '') + part
    return methods === undefined ? [] : [parents[depth]]
  })
}

describe('openapi.yaml', () => {
  let answers: ExampleAnswers

  beforeAll(async () => {
    answers = await exampleAnswers(await services())
  })

  it('equals the document made of the schemas and the service’s answers (npm run openapi)', () => {
    expect(DOCUMENT).toEqual(openApiDocument(version, answers))
  })

  it('is served as it is, as YAML and as JSON', async () => {
    const { ready } = await services()
    const yaml = await ready.inject('/openapi.yaml')
    expect(yaml.headers['content-type']).toBe('application/yaml; charset=utf-8')
    expect(yaml.body).toBe(FILE)
    const json = await ready.inject('/openapi.json')
    expect(json.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(json.json()).toEqual(parse(FILE))
  })

  it('has every path of the service and no other', async () => {
    const { proxied } = await services()
    await proxied.ready()
    const documented = treePaths(proxied.printRoutes({ commonPrefix: false }))
      .filter((path) => !/^\/(docs|explorer)\//.test(path)) // the files of the pages
      .filter((path) => !NOT_IMPLEMENTED.includes(path)) // answered 501 to whoever asks
      .map((path) => path.replaceAll(/:(\w+)/g, '{$1}'))
    expect(new Set(documented)).toEqual(new Set(Object.keys(DOCUMENT.paths as object)))
    for (const { method, path } of documentedOperations) {
      const url = path.replaceAll(/\{(\w+)\}/g, ':$1')
      expect(proxied.hasRoute({ method: method.toUpperCase() as 'GET', url }), `${method} ${path}`).toBe(true)
    }
  })

  it('has every error code in its table, and those of operations with their status', () => {
    const { description } = DOCUMENT.info as { description: string }
    const shown = new Map<string, string>()
    for (const { operation } of documentedOperations) {
      for (const [status, { content }] of Object.entries(operation.responses)) {
        if (status < '400') continue
        for (const code of Object.keys(content?.['application/json'].examples ?? {})) shown.set(code, status)
      }
    }
    for (const [code, { status }] of Object.entries(ERRORS)) {
      expect(description).toContain(`| ${status} | \`${code}\` |`)
      if (code === 'method_not_allowed') continue // of other methods
      expect(shown.get(code), code).toBe(String(status))
    }
  })

  it('tells the position schemes apart by their type', () => {
    const schemas = (DOCUMENT.components as JsonObject).schemas as Record<string, JsonObject>
    const { mapping } = schemas.PositionEmbeddingOptions.discriminator as { mapping: JsonObject }
    expect(Object.keys(mapping)).toEqual(positionSchemes.map(({ type }) => type))
    for (const [type, reference] of Object.entries(mapping)) {
      const { properties } = schemas[String(reference).split('/').at(-1) as string]
      expect((properties as Record<string, JsonObject>).type.const).toBe(type)
    }
  })

  it('describes every parameter, and each option apart for the types that read it differently', () => {
    const { parameters } = DOCUMENT.components as Record<string, Record<string, JsonObject>>
    for (const [name, { description }] of Object.entries(parameters)) expect(description, name).toMatch(/\S/)
    expect(parameters.position_embedding_num_heads.description).toBe(
      'Where `position_embedding` is `alibi` or `t5`: Number of attention heads H. ' +
        'Where `position_embedding` is `transformer_xl`: Number of attention heads H; divides embedding_dim.',
    )
  })

  it('is at most half as large as with every error answer written out', () => {
    expect(FILE.length).toBeLessThan(220_000)
  })

  it('describes every tensor', () => {
    expect(Object.keys(OUTPUT_DOCS).sort()).toEqual([...ALL_OUTPUTS].sort())
  })
})
