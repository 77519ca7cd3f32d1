import type { Model, OutputName } from '../../../../../clients/typescript/src/index.js'
import type { Answer } from '../answer/answer.js'
import { embeddingsFields } from '../recipe/calls.js'
import { fieldLines, JSON_DIALECT, PYTHON_DIALECT } from './literal.js'
import { pytorch } from './pytorch.js'
import { addressOf, bodyTypeOf, callOf, fileOf, type Snippet, type Taken } from './taken.js'

/** The ways to take it along, in the order of their tabs. */
export const WAYS = ['curl', 'Python', 'PyTorch'] as const
export type Way = (typeof WAYS)[number]

/** From where, and of what, the lines are written. */
export interface Source {
  readonly service: string
  readonly needsKey: boolean
  readonly model: Model | undefined
}

/** The lines of a way for a tensor of what is on screen. */
export function snippetOf(way: Way, answer: Answer, output: OutputName, source: Source): Snippet {
  if (way === 'PyTorch') return pytorch(answer, source.model, output)
  const taken = takenOf(answer, output, source)
  return way === 'curl' ? curl(taken) : python(taken)
}

/** The call for a tensor of what is on screen. */
export function takenOf(answer: Answer, output: OutputName, source: Source): Taken {
  const { service, needsKey } = source
  const call = callOf(embeddingsFields(answer.recipe, [output]))
  return { service, call, output, needsKey }
}

/** The call for a shell; the tensor comes as a file of NumPy. */
function curl(taken: Taken): Snippet {
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

/** The call for Python: requests and NumPy; the tensor is `array`. */
function python(taken: Taken): Snippet {
  const { call, needsKey } = taken
  const file = fileOf(call)
  const headers = {
    accept: 'application/x-npy',
    ...(file === undefined ? {} : { 'content-type': bodyTypeOf(call) }),
  }
  const code = [
    'import io',
    ...(needsKey ? ['import os'] : []),
    ...(file === undefined ? [] : ['import pathlib']),
    '',
    'import numpy as np',
    'import requests',
    '',
    `url = ${JSON.stringify(addressOf(taken))}`,
    `headers = ${fieldLines(headers, PYTHON_DIALECT)}`,
    ...(needsKey ? ['headers["authorization"] = "Bearer " + os.environ["INLET_API_KEY"]'] : []),
    ...(file === undefined
      ? [
          `body = ${fieldLines(call.body as object, PYTHON_DIALECT)}`,
          'answer = requests.post(url, json=body, headers=headers)',
        ]
      : [
          `body = pathlib.Path("${file.name}").read_bytes()`,
          'answer = requests.post(url, data=body, headers=headers)',
        ]),
    'answer.raise_for_status()',
    'array = np.load(io.BytesIO(answer.content))',
    'print(array.dtype, array.shape)',
  ].join('\n')
  return { code, file }
}
