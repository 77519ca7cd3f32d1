import { fieldLines, TYPESCRIPT_DIALECT } from './literal.js'
import { addressOf, bodyTypeOf, fileOf, type Snippet, type Taken } from './taken.js'

/** The call for TypeScript: fetch and a typed array, in a browser or in Node; the tensor is `array`. */
export function typescript(taken: Taken): Snippet {
  const { call, isInteger, needsKey } = taken
  const file = fileOf(call)
  const body =
    file === undefined
      ? `JSON.stringify(${fieldLines(call.body as object, TYPESCRIPT_DIALECT, { indent: '  ', step: '  ' })})`
      : `await readFile("${file.name}")`
  const code = [
    ...(file === undefined ? [] : ['import { readFile } from "node:fs/promises"', '']),
    `const response = await fetch(${JSON.stringify(addressOf(taken))}, {`,
    '  method: "POST",',
    '  headers: {',
    `    "content-type": "${bodyTypeOf(call)}",`,
    '    accept: "application/octet-stream",',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the snippet's own template
    ...(needsKey ? ['    authorization: `Bearer ${process.env.INLET_API_KEY}`,'] : []),
    '  },',
    `  body: ${body},`,
    '})',
    'if (!response.ok) throw new Error(await response.text())',
    'const shape = response.headers.get("x-tensor-shape")?.split(",").map(Number)',
    `const array = new ${isInteger ? 'Int32Array' : 'Float32Array'}(await response.arrayBuffer())`,
    'console.log(shape, array)',
  ].join('\n')
  return { code, file }
}
