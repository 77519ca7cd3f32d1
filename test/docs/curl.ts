import { readFileSync } from 'node:fs'

/** A call of curl in a document, as `fetch` takes it. */
export interface CurlCall {
  /** With its host: `http://localhost:8000/v1/tokenize`. */
  readonly url: string
  readonly init: { readonly method: string; readonly headers: Record<string, string>; readonly body?: string }
  /** The command before the pipe makes its body (`-d @-`). */
  readonly readsPipe: boolean
}

/** The calls of curl in the shell lines of a Markdown document, in their order. */
export function curlCalls(markdown: string): CurlCall[] {
  const blocks = Array.from(markdown.matchAll(/^```(?:sh|bash)\n([\s\S]*?)^```$/gm), ([, lines]) => lines)
  return blocks.flatMap((lines) =>
    Array.from(lines.matchAll(/\bcurl /g), ({ index }) => callOf(words(lines.slice(index)))),
  )
}

/** Words of a shell's command, up to its end: `curl -d '{"a": 1}' x | jq` → `curl`, `-d`, `{"a": 1}`, `x`. */
function words(text: string): string[] {
  const [command] = /^(?:'[^']*'|\\\n|[^'|)\n])*/.exec(text)!
  const found = command.replaceAll('\\\n', ' ').match(/(?:'[^']*'|[^'\s])+/g) ?? []
  return found.map((word) => word.replaceAll("'", ''))
}

function callOf([, ...args]: string[]): CurlCall {
  const headers: Record<string, string> = {}
  let body: string | undefined
  let url = ''
  for (let i = 0; i < args.length; i++) {
    if (args[i] === '-H') {
      const [name, value] = args[++i].split(': ')
      headers[name.toLowerCase()] = value
    } else if (args[i] === '-d' || args[i] === '--data-binary') body = args[++i]
    else if (args[i] === '-o') i++
    else if (!args[i].startsWith('-')) url = `http://${args[i]}`
  }
  if (body !== undefined) headers['content-type'] ??= 'application/x-www-form-urlencoded' // curl's own
  const readsPipe = body === '@-'
  if (body?.startsWith('@') && !readsPipe) body = readFileSync(body.slice(1), 'utf8')
  return {
    url,
    init: { method: body === undefined ? 'GET' : 'POST', headers, ...(!readsPipe && body && { body }) },
    readsPipe,
  }
}
