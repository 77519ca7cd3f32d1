// Writes the types of the library, dist/types/index.d.ts and the declarations that it needs. TypeScript declares every
// file that the library imports; those that none of its types names are deleted again.

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import ts from 'typescript'

const types = new URL('../../dist/types/', import.meta.url)
const { options, fileNames } = ts.getParsedCommandLineOfConfigFile(
  'tsconfig.types.json',
  {},
  {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic(fault) {
      throw new Error(String(fault.messageText))
    },
  },
)
const program = ts.createProgram(fileNames, options)
const { diagnostics } = program.emit()
for (const { messageText } of diagnostics) throw new Error(String(messageText))
writeOptions(program.getSourceFile('src/library/options.ts'), new URL('library/options.d.ts', types))

/** Writes types that zod infers as interfaces, each field with what its schema says of it: they need no zod. */
function writeOptions(source, target) {
  const checker = program.getTypeChecker()
  const interfaces = source.statements.filter(ts.isTypeAliasDeclaration).map((alias) => {
    const fields = checker
      .getTypeAtLocation(alias)
      .getProperties()
      .map((field) => {
        const text = checker
          .typeToString(checker.getTypeOfSymbol(field), alias, ts.TypeFormatFlags.NoTruncation)
          .replaceAll('<ArrayBufferLike>', '') // which compilers before 5.7 do not read
        const isOptional = (field.flags & ts.SymbolFlags.Optional) !== 0
        const type = isOptional ? text.replace(/ \| undefined$/, '') : text
        return `    /** ${descriptionOf(field, checker)} */\n    readonly ${field.name}${isOptional ? '?' : ''}: ${type};\n`
      })
    const [comment] = alias.jsDoc ?? []
    return `${comment?.getText(source) ?? ''}\nexport interface ${alias.name.text} {\n${fields.join('')}}\n`
  })
  writeFileSync(target, interfaces.join(''))
}

/** A field's comment, or the text of the last `describe('…')` of its schema, which may be another's: `stride: embeddingOptions.stride`. */
function descriptionOf(field, checker) {
  const comment = ts.displayPartsToString(field.getDocumentationComment(checker))
  const texts = (field.declarations ?? []).flatMap((declaration) => textsIn(declaration, checker))
  const [text] = comment === '' ? texts : [comment]
  if (text === undefined) throw new Error(`${field.name} has no description`)
  return text
}

function textsIn(node, checker) {
  if (ts.isCallExpression(node) && node.expression.name?.text === 'describe') {
    const text = node.arguments[0].getText().replace(/' \+\s*'|^'|'$/g, '')
    return [text.includes('Default:') ? text : text + defaultIn(node.expression.expression)]
  }
  const other = ts.isPropertyAccessExpression(node) && checker.getSymbolAtLocation(node)
  if (other && other.flags & ts.SymbolFlags.Property) return [descriptionOf(other, checker)]
  return node.getChildren().flatMap((child) => textsIn(child, checker))
}

/** `z.int().default(0)` → " Default: 0." */
function defaultIn(schema) {
  const [, value] = /\.default\(([^(\w)]?[\w.]*[^(\w)]?)\)$/.exec(schema.getText()) ?? []
  return value === undefined || value.startsWith('CARD') ? '' : ` Default: ${value.replaceAll("'", '`')}.`
}

const needed = new Set()
const visit = (file) => {
  if (needed.has(file.href)) return
  needed.add(file.href)
  for (const [, path] of readFileSync(file, 'utf8').matchAll(/from '(\.[^']*)\.js'/g)) {
    visit(new URL(`${path}.d.ts`, file))
  }
}
visit(new URL('index.d.ts', types))
for (const entry of readdirSync(types, { recursive: true, withFileTypes: true })) {
  const file = pathToFileURL(join(entry.parentPath, entry.name))
  if (entry.isFile() && !needed.has(file.href)) rmSync(file)
}
