// Writes openapi.yaml from the schemas, with the answers of the service itself: `npm run openapi`.
import { readFileSync, writeFileSync } from 'node:fs'
import { openApiDocument } from '../../build/src/openapi/document.js'
import { exampleAnswers } from '../../build/src/openapi/example-answers.js'
import { exampleApps } from '../../build/src/openapi/example-apps.js'
import { documentYaml } from './document-yaml.mjs'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const document = openApiDocument(version, await exampleAnswers(await exampleApps()))
writeFileSync('openapi.yaml', documentYaml(document))
process.stdout.write('openapi.yaml written\n')
process.exit(0)
