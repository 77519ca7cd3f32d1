#!/usr/bin/env node
// schemas.mjs FOLDER SWAGGER.json [CRD.yaml…]
//
// Writes a JSON schema for each kind of Kubernetes' API document and of the given CustomResourceDefinitions, as
// kubeconform looks for them: deployment-apps-v1.json. Fields that a schema does not name are refused, as an API
// server does under `fieldValidation: Strict`.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { parse } from 'yaml'
import { closed } from '../kubernetes/closed.mjs'

const [folder, swagger, ...crds] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })

/** What an API server takes, where the document says `string`. */
const WIDER = {
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': { type: ['string', 'integer'] },
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { type: ['string', 'number'] },
}

const definitions = { ...closed(JSON.parse(readFileSync(swagger, 'utf8')).definitions), ...WIDER }
for (const [name, definition] of Object.entries(definitions))
  for (const { group, version, kind } of definition['x-kubernetes-group-version-kind'] ?? [])
    write(group, version, kind, { $ref: `#/definitions/${name}`, definitions: neededBy(name) })

for (const path of crds) {
  const { group, names, versions } = parse(readFileSync(path, 'utf8')).spec
  for (const { name, schema } of versions)
    write(group, name, names.kind, openMetadata(closed(schema.openAPIV3Schema)))
}

function write(group, version, kind, schema) {
  const parts = [kind, group.split('.')[0], version].filter((part) => part !== '')
  writeFileSync(`${folder}/${parts.join('-').toLowerCase()}.json`, JSON.stringify(schema))
}

/** The definitions that one refers to, itself among them. */
function neededBy(name, found = {}) {
  if (found[name] !== undefined) return found
  found[name] = definitions[name]
  for (const [, next] of JSON.stringify(definitions[name]).matchAll(/"#\/definitions\/([^"]+)"/g))
    neededBy(next, found)
  return found
}

/** A definition's schema leaves `metadata` to the API server. */
function openMetadata(schema) {
  return { ...schema, properties: { ...schema.properties, metadata: { type: 'object' } } }
}
