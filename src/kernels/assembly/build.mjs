// Compiles the kernels to dist/kernels/*.wasm: `npm run build:kernels`.
import asc from 'assemblyscript/asc'

/** Each module with its source files; a file's exports are the module's. */
const MODULES = {
  model: ['embed.ts', 'narrow.ts', 'text.ts'],
  normal: ['normal.ts'],
}

const OPTIONS = [
  ...['-O3', '--converge', '--noAssert', '--runtime', 'stub', '--enable', 'simd', '--enable', 'threads'],
  ...['--importMemory', '--sharedMemory', '--initialMemory', '1', '--maximumMemory', '65536'],
]

for (const [name, files] of Object.entries(MODULES)) {
  const { error, stderr } = await asc.main([
    ...files.map((file) => `src/kernels/assembly/${file}`),
    ...['-o', `dist/kernels/${name}.wasm`],
    ...OPTIONS,
  ])
  if (error) {
    process.stderr.write(stderr.toString())
    process.exit(1)
  }
}
