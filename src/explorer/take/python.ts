import { fieldLines, PYTHON_DIALECT } from './literal.js'
import { addressOf, bodyTypeOf, fileOf, type Snippet, type Taken } from './taken.js'

/** The call for Python: requests and NumPy; the tensor is `array`. */
export function python(taken: Taken): Snippet {
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
