#!/usr/bin/env node
// check-schemas.mjs CRD.yaml…
//
// Checks the objects beside this file against the schemas of KServe's CustomResourceDefinitions, as an API server
// does that refuses unknown fields. The definitions lie in KServe's repository and Go module, in config/crd/full.
import { readdirSync, readFileSync } from 'node:fs'
import Ajv from 'ajv'
import { parse } from 'yaml'
import { closed } from '../closed.mjs'

const here = new URL('./', import.meta.url)
const paths = process.argv.slice(2)
const definitions = paths.map((path) => parse(readFileSync(path, 'utf8')))
const ajv = new Ajv({ allErrors: true, strict: false, logger: false }) // formats such as int32 are Kubernetes' own

let failures = 0
for (const name of readdirSync(here).filter((file) => file.endsWith('.yaml'))) {
  const object = parse(readFileSync(new URL(name, here), 'utf8'))
  if (object.kind === 'Kustomization') continue
  const schema = schemaOf(object)
  if (schema === undefined) {
    fail(`${name}: none of the given definitions is of ${object.apiVersion} ${object.kind}`)
    continue
  }
  const { metadata, ...rest } = object
  const validate = ajv.compile(closed({ ...schema, properties: { ...schema.properties, metadata: true } }))
  if (validate({ ...rest, metadata })) console.log(`${name}: as ${object.apiVersion} ${object.kind} asks`)
  else
    for (const { instancePath, message, params } of validate.errors)
      fail(`${name}: ${instancePath} ${message} ${JSON.stringify(params)}`)
}
process.exit(failures === 0 ? 0 : 1)

function schemaOf({ apiVersion, kind }) {
  const [group, version] = apiVersion.split('/')
  const definition = definitions.find(({ spec }) => spec.group === group && spec.names.kind === kind)
  return definition?.spec.versions.find(({ name }) => name === version)?.schema.openAPIV3Schema
}

function fail(message) {
  failures++
  console.error(message)
}
