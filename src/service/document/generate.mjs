// Writes openapi.yaml from the schemas: `npm run openapi`.
import { readFileSync, writeFileSync } from 'node:fs'
import { Document, visit } from 'yaml'
import { openApiDocument } from '../../../build/src/service/document/document.js'

/** Characters of a line in which a whole object or list stands. */
const WIDTH = 170

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const document = new Document(openApiDocument(version), { aliasDuplicateObjects: false })
visit(document, {
  Collection(_, node) {
    node.flow = JSON.stringify(node.toJSON()).length < WIDTH
    return node.flow ? visit.SKIP : undefined
  },
})
document.commentBefore = ' Made by `npm run openapi` from the routes of src/features.'
const text = document.toString({ indent: 1, indentSeq: false, lineWidth: 0, flowCollectionPadding: false })
writeFileSync('openapi.yaml', text)
process.stdout.write('openapi.yaml written\n')
