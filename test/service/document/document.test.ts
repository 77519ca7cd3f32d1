import { readFileSync, writeFileSync } from 'node:fs'
import type { RouteOptions } from 'fastify'
import { describe, expect, it } from 'vitest'
import { Document, parse, visit } from 'yaml'
import { featureDocuments, openApiDocument } from '../../../openapi/document.js'
import { EXTENSION_PATHS } from '../../../src/features/open-inference/feature.js'
import { ALL_DATASET_OUTPUTS } from '../../../src/first-layer/datasets/dataset-outputs.js'
import { positionSchemes } from '../../../src/first-layer/embeddings/positions/registry.js'
import { LOOKUP_OUTPUTS } from '../../../src/first-layer/lookups/lookup-card.js'
import type { Json, JsonObject } from '../../../src/service/document/components.js'
import { OUTPUT_DOCS } from '../../../src/service/document/tensors.js'
import { ERRORS } from '../../../src/service/features.js'
import { DOCUMENT, documentedOperations, FILE, service } from './documented.js'
import { exampleApp } from './example-app.js'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))

/** Characters of a line in which a whole object or list stands. */
const WIDTH = 170

/** The text of openapi.yaml. */
function yamlOf(made: JsonObject): string {
  const document = new Document(made, { aliasDuplicateObjects: false })
  visit(document, {
    Collection(_, node) {
      node.flow = JSON.stringify(node.toJSON()).length < WIDTH
      return node.flow ? visit.SKIP : undefined
    },
  })
  document.commentBefore = ' Made by `npm run openapi` from the routes of src/features.'
  return document.toString({ indent: 1, indentSeq: false, lineWidth: 0, flowCollectionPadding: false })
}

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

const SCHEMAS = (DOCUMENT.components as JsonObject).schemas as Record<string, JsonObject>

/** Pointers to the objects of the document, except examples, that pass the test: `schemas/Model/properties/id`. */
function placesOf(isAsked: (value: JsonObject) => boolean, value: Json = DOCUMENT, place = ''): string[] {
  if (typeof value !== 'object' || value === null) return []
  const found = !Array.isArray(value) && isAsked(value as JsonObject) ? [place.slice(1)] : []
  const below = Object.entries(value).filter(([key]) => key !== 'examples')
  return [...found, ...below.flatMap(([key, item]) => placesOf(isAsked, item as Json, `${place}/${key}`))]
}

const notImplemented = Object.values(EXTENSION_PATHS).flatMap((paths) => paths.map((path) => `/v2/${path}`))

describe('openapi.yaml', () => {
  it('equals the document made of the routes (npm run openapi)', async () => {
    const routes: RouteOptions[] = []
    await (await exampleApp((route) => routes.push(route))).close()
    const made = openApiDocument(version, routes, await featureDocuments())
    if (process.env.UPDATE_OPENAPI) writeFileSync('openapi.yaml', yamlOf(made))
    else expect(DOCUMENT).toEqual(made)
  })

  it('is served as it is, as YAML and as JSON', async () => {
    const app = await service()
    const yaml = await app.inject('/openapi.yaml')
    expect(yaml.headers['content-type']).toBe('application/yaml; charset=utf-8')
    expect(yaml.body).toBe(FILE)
    const json = await app.inject('/openapi.json')
    expect(json.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(json.json()).toEqual(parse(FILE))
  })

  it('has every path of the service and no other', async () => {
    const app = await service()
    await app.ready()
    const documented = treePaths(app.printRoutes({ commonPrefix: false }))
      .filter((path) => !/^\/(docs|explorer)\//.test(path)) // the files of the pages
      .filter((path) => !notImplemented.includes(path)) // answered 501
      .filter((path) => path !== '/v2/*') // how the tree shows those of them that end with *
      .filter((path) => path !== '/v2/') // as /v2: linters and some generators take no slash at the end
      .map((path) => path.replaceAll(/:(\w+)/g, '{$1}'))
    expect(new Set(documented)).toEqual(new Set(Object.keys(DOCUMENT.paths as object)))
    for (const { method, path } of documentedOperations) {
      const url = path.replaceAll(/\{(\w+)\}/g, ':$1')
      expect(app.hasRoute({ method: method.toUpperCase() as 'GET', url }), `${method} ${path}`).toBe(true)
    }
  })

  it('has every error code in its table, and names each where it is answered', () => {
    const { description } = DOCUMENT.info as { description: string }
    const [ofAll] = description.split('<details>')
    const ofOperations = documentedOperations.map(({ operation }) => operation.description).join()
    for (const [code, [status]] of Object.entries(ERRORS)) {
      expect(description).toContain(`| ${status} | \`${code}\` |`)
      expect(ofAll + ofOperations).toContain(`\`${code}\``)
    }
  })

  it('tells the position schemes apart by their type', () => {
    const { mapping } = SCHEMAS.PositionEmbeddingOptions.discriminator as { mapping: JsonObject }
    expect(Object.keys(mapping)).toEqual(positionSchemes.map(({ type }) => type))
    for (const [type, reference] of Object.entries(mapping)) {
      const { properties } = SCHEMAS[String(reference).split('/').at(-1) as string]
      expect((properties as Record<string, JsonObject>).type.const).toBe(type)
    }
  })

  it('describes every operation, parameter and field of a request, and has no empty description', () => {
    for (const { operation } of documentedOperations)
      expect(operation, operation.operationId).toHaveProperty('description')
    const { parameters } = DOCUMENT.components as Record<string, Record<string, JsonObject>>
    for (const [name, parameter] of Object.entries(parameters))
      expect(parameter, name).toHaveProperty('description')
    for (const [name, { properties = {} }] of Object.entries(SCHEMAS)) {
      if (!/Request$|Card$|^PositionEmbedding|^RopeScaling/.test(name) || name === 'PositionEmbeddingsAnswer')
        continue
      for (const [field, schema] of Object.entries(properties as Record<string, JsonObject>)) {
        if (schema.const === undefined && schema.$ref === undefined)
          expect(schema, `${name}.${field}`).toHaveProperty('description')
      }
    }
    expect(placesOf((value) => 'description' in value && !/\S/.test(String(value.description)))).toEqual([])
  })

  it('describes an option that several types read differently in a paragraph for each meaning', () => {
    const { parameters } = DOCUMENT.components as Record<string, Record<string, JsonObject>>
    expect(parameters.query_position_embedding_num_heads.description).toContain(
      'Where `position_embedding` is `alibi` or `t5`: Number of attention heads H. Default: `8`.\n\n' +
        'Where `position_embedding` is `transformer_xl`: Number of attention heads H; divides embedding_dim. Default: `8`.',
    )
    for (const [name, { description }] of Object.entries(parameters)) {
      const paragraphs = (description as string).split('\n\n')
      for (const each of paragraphs)
        expect(each.match(/\bWhere `position_embedding/g)?.length ?? 0, name).toBeLessThan(2)
      expect(new Set(paragraphs).size, name).toBe(paragraphs.length)
    }
  })

  it('is small enough to read', () => {
    expect(Buffer.byteLength(FILE)).toBeLessThan(225_000)
  })

  it('describes every tensor', () => {
    const all = [...ALL_DATASET_OUTPUTS, ...Object.keys(LOOKUP_OUTPUTS)]
    expect(Object.keys(OUTPUT_DOCS).sort()).toEqual(all.sort())
  })
})
