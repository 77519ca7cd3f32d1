// Compiles the kernels to dist/kernels/*.wasm: `node build.mjs kernels`.
import asc from 'assemblyscript/asc'
import { inlineMarked } from './inline.mjs'

const SHARED = [
  '--enable',
  'threads',
  '--importMemory',
  '--sharedMemory',
  '--initialMemory',
  '1',
  '--maximumMemory',
  '65536',
]

/** Each module with its source files (a file's exports are the module's) and the options for its memory. */
const MODULES = {
  model: [['embed.ts', 'copy-rows.ts', 'narrow.ts', 'widen.ts', 'project.ts'], SHARED],
  text: [['text.ts', 'widen.ts', 'own-memory.ts'], []],
  normal: [['normal.ts'], SHARED],
  tokenize: [['tokenize/index.ts'], []],
  count: [['count/index.ts'], []],
}

const OPTIONS = ['-O3', '--converge', '--noAssert', '--runtime', 'stub', '--enable', 'simd']

for (const [name, [files, memory]] of Object.entries(MODULES)) {
  const { error, stderr } = await asc.main(
    [
      ...files.map((file) => `src/first-layer/kernels/assembly/${file}`),
      ...['-o', `dist/kernels/${name}.wasm`],
      ...OPTIONS,
      ...memory,
    ],
    { transforms: [inlineMarked] },
  )
  if (error) {
    process.stderr.write(stderr.toString())
    process.exit(1)
  }
}
