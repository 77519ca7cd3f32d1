// Compiles the kernels: `node build.mjs kernels` to dist/kernels/*.wasm, `npm run build:site` for memories of one thread.
import asc from 'assemblyscript/asc'
import { inlineMarked } from './inline.mjs'

const IMPORTED = ['--importMemory', '--initialMemory', '1', '--maximumMemory', '65536']
const SHARED = ['--enable', 'threads', '--sharedMemory']

/** Each module with its source files (a file's exports are the module's) and the options for its memory. */
const MODULES = {
  model: [['embed.ts', 'copy-rows.ts', 'narrow.ts', 'widen.ts', 'project.ts'], IMPORTED],
  text: [['text.ts', 'widen.ts', 'own-memory.ts'], []],
  normal: [['normal.ts'], IMPORTED],
  tokenize: [['tokenize/index.ts'], []],
  count: [['count/index.ts'], []],
}

const OPTIONS = ['-O3', '--converge', '--noAssert', '--runtime', 'stub', '--enable', 'simd']

/** @param shared whether the memory that a module imports is that of many threads */
export async function compileKernels(folder = 'dist/kernels', names = Object.keys(MODULES), shared = true) {
  for (const name of names) {
    const [files, memory] = MODULES[name]
    const { error, stderr } = await asc.main(
      [
        ...files.map((file) => `src/first-layer/kernels/assembly/${file}`),
        ...['-o', `${folder}/${name}.wasm`],
        ...OPTIONS,
        ...memory,
        ...(shared && memory === IMPORTED ? SHARED : []),
      ],
      { transforms: [inlineMarked] },
    )
    if (error) {
      process.stderr.write(stderr.toString())
      process.exit(1)
    }
  }
}
