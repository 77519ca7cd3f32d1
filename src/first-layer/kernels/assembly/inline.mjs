import { FunctionDeclaration, Node, SourceKind } from 'assemblyscript'

const MARKER = '// @inline'

/**
 * Makes of the comment `// @inline` on the line before a function AssemblyScript's decorator `@inline`, which is no
 * TypeScript there: neither the type checker nor the linter could read the file.
 *
 * @throws Error where the comment stands before anything but a function of a module
 */
export const inlineMarked = {
  afterParse({ sources }) {
    for (const source of sources) {
      if (source.sourceKind === SourceKind.Library || source.sourceKind === SourceKind.LibraryEntry) continue
      let marked = 0
      for (const statement of source.statements) {
        const { range } = statement
        if (!source.text.slice(0, range.start).endsWith(`\n${MARKER}\n`)) continue
        if (!(statement instanceof FunctionDeclaration)) break
        const name = Node.createIdentifierExpression('inline', range)
        statement.decorators = [Node.createDecorator(name, null, range)]
        marked++
      }
      if (source.text.split(MARKER).length - 1 !== marked)
        throw new Error(`${source.normalizedPath}: \`${MARKER}\` belongs on the line before a function`)
    }
  },
}
