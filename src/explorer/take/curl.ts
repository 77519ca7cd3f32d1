import { fieldLines, JSON_DIALECT } from './literal.js'
import { addressOf, bodyTypeOf, fileOf, type Snippet, type Taken } from './taken.js'

/** The call for a shell; the tensor comes as a file of NumPy. */
export function curl(taken: Taken): Snippet {
  const { call, output, needsKey } = taken
  const file = fileOf(call)
  const body =
    file === undefined
      ? `-d ${shellQuoted(fieldLines(call.body as object, JSON_DIALECT, { indent: '  ', step: '  ', lastComma: false }))}`
      : `--data-binary @${file.name}`
  const code = [
    `curl -sSf ${shellQuoted(addressOf(taken))}`,
    `-H 'content-type: ${bodyTypeOf(call)}'`,
    "-H 'accept: application/x-npy'",
    ...(needsKey ? ['-H "authorization: Bearer $INLET_API_KEY"'] : []),
    `-o ${output}.npy`,
    body,
  ].join(' \\\n  ')
  return { code, file }
}

/** A word of a POSIX shell in which nothing is expanded: it's → 'it'\''s'. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
