import { FunctionDeclaration, Node, SourceKind } from 'assemblyscript'

const MARKER = '// @inline'

/**
 * Turns the comment `// @inline` on the line before a function into AssemblyScript's decorator `@inline`. A decorator on
 * a function is no TypeScript: the type checker and the linter could not read the file.
 *
 * @throws Error if the comment stands before anything but a function of a module
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
