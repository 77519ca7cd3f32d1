// Generates a client of openapi.yaml with each generator, compiles it, makes five real calls with it, and prints a table.
//
//   node test/clients/generators/run.mjs [--document FILE] [--only NAME,…] [--work DIR]
//
// Needs `npm run build`; of the toolchains (Python, Go, a JDK with Maven, Cargo) those that are there: a generator whose
// toolchain is absent is left out, with the reason. The generators themselves come from npm, PyPI, Maven Central and Go's
// proxy, by their ordinary clients. All files are in DIR, by default a folder that is removed.
// Exit code 1: some client was not generated, did not compile, or a call failed.
import { spawn, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const HERE = dirname(fileURLToPath(import.meta.url))
const PROJECT = resolve(HERE, '../../..')
const OPENAPI_GENERATOR = '7.25.0'
// orval: before 8 it writes `status: 4XX`; 8.24 to 8.38 do not compile where a body is JSON or bytes.
const NPM = [
  ...['@hey-api/openapi-ts@0.95.0', 'openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', 'orval@8.20.0'],
  ...['typescript@5.9.3', '@types/node@20', 'rolldown@1'],
]
const PYPI = [
  'openapi-python-client==0.29.0',
  'pydantic>=2',
  'urllib3',
  'python-dateutil',
  'typing-extensions',
]
const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2'

const { values } = parseArgs({
  options: { document: { type: 'string' }, only: { type: 'string' }, work: { type: 'string' } },
})
const work = resolve(values.work ?? mkdtempSync(join(tmpdir(), 'inlet-generators-')))
const documentFile = resolve(values.document ?? join(PROJECT, 'openapi.yaml'))
mkdirSync(work, { recursive: true })

/** Runs a command; throws an Error with the first lines of what it says where it fails. */
function run(folder, command, ...rest) {
  const { status, stdout, stderr, error } = spawnSync(command, rest, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    env: { ...process.env, CARGO_TARGET_DIR: join(work, 'cargo'), PYTHONPATH: folder },
  })
  if (status === 0) return stdout
  const lines = `${stdout}\n${stderr}`
    .split('\n')
    .filter((line) => /error|exception|assert|cannot|failed|TS\d/i.test(line))
  throw new Error((error?.message ?? lines.slice(0, 3).join(' | ')) || `${command} ended with ${status}`)
}

const has = (command) => spawnSync(command, ['--version']).error === undefined

/** Makes something once: the folder or the file that it fills. */
function once(path, make) {
  if (!existsSync(path)) make()
  return path
}

const npm = () =>
  once(join(work, 'npm'), () => {
    mkdirSync(join(work, 'npm'))
    writeFileSync(join(work, 'npm/package.json'), '{"private":true,"type":"module"}')
    run(join(work, 'npm'), 'npm', 'install', '--silent', ...NPM)
  })
const venv = () =>
  once(join(work, 'venv'), () => {
    run(work, 'python3', '-m', 'venv', 'venv')
    run(work, 'venv/bin/pip', 'install', '--quiet', ...PYPI)
  })
const python = () => join(venv(), 'bin/python')
const jar = () =>
  once(
    join(
      homedir(),
      `.m2/repository/org/openapitools/openapi-generator-cli/${OPENAPI_GENERATOR}/openapi-generator-cli-${OPENAPI_GENERATOR}.jar`,
    ),
    () =>
      run(
        work,
        'mvn',
        '-q',
        'dependency:get',
        `-Dartifact=org.openapitools:openapi-generator-cli:${OPENAPI_GENERATOR}`,
      ),
  )

/** openapi-generator, without options other than names. */
function openapiGenerator(language, folder, names = '') {
  const properties = names === '' ? [] : [`--additional-properties=${names}`]
  run(
    work,
    'java',
    '-Xmx1g',
    '-jar',
    jar(),
    'generate',
    '-i',
    documentFile,
    '-g',
    language,
    '-o',
    folder,
    ...properties,
  )
}

const CALLS = join(HERE, 'calls')

/** The arguments that a function takes after its first ones, each as `word`. */
function absent(source, signature, first, word) {
  const [, parameters] = signature.exec(readFileSync(source, 'utf8'))
  return new Array(parameters.split(',').length - first).fill(word).join(', ')
}

function withAbsent(from, to, words) {
  writeFileSync(to, readFileSync(join(CALLS, from), 'utf8').replace('ABSENT', words))
}

/** TypeScript: `generated` is beside the calls. */
function typescript(calls) {
  const compiler = (folder) => {
    cpSync(join(CALLS, calls), join(folder, 'calls.ts'))
    const options = [
      '--strict',
      '--noEmit',
      '--target',
      'es2022',
      '--module',
      'esnext',
      '--moduleResolution',
      'bundler',
    ]
    run(folder, join(npm(), 'node_modules/.bin/tsc'), ...options, '--types', 'node', 'calls.ts')
  }
  return {
    compile: compiler,
    call: (folder, url) => {
      run(
        folder,
        join(npm(), 'node_modules/.bin/rolldown'),
        'calls.ts',
        '--platform',
        'node',
        '--file',
        'calls.mjs',
      )
      run(folder, 'node', 'calls.mjs', url)
    },
  }
}

const NODE = []
const GENERATORS = {
  'openapi-generator python': {
    needs: ['java', 'mvn', 'python3'],
    generate: (folder) => openapiGenerator('python', folder, 'packageName=inlet_generated'),
    compile: (folder) =>
      run(folder, python(), '-c', 'import inlet_generated as g; [getattr(g, n) for n in g.__all__]'),
    call: (folder, url) => run(folder, python(), join(CALLS, 'openapi_generator.py'), url),
  },
  'openapi-generator go': {
    needs: ['java', 'mvn', 'go'],
    generate: (folder) => openapiGenerator('go', join(folder, 'inlet'), 'packageName=inlet'),
    compile: (folder) => {
      rmSync(join(folder, 'inlet/test'), { recursive: true, force: true })
      const module = join(folder, 'inlet/go.mod')
      writeFileSync(module, readFileSync(module, 'utf8').replace(/^module .*/m, 'module inlet'))
      mkdirSync(join(folder, 'inlet/calls'))
      copyFileSync(join(CALLS, 'openapi_generator.go'), join(folder, 'inlet/calls/main.go'))
      run(join(folder, 'inlet'), 'go', 'mod', 'tidy')
      run(join(folder, 'inlet'), 'go', 'build', '-o', '../calls', './calls')
    },
    call: (folder, url) => run(folder, './calls', url),
  },
  'openapi-generator java': {
    needs: ['java', 'javac', 'mvn'],
    generate: (folder) =>
      openapiGenerator(
        'java',
        folder,
        'groupId=inlet,artifactId=inlet,invokerPackage=inlet,apiPackage=inlet.api,modelPackage=inlet.model',
      ),
    compile: (folder) => {
      const source = join(folder, 'src/main/java/inlet')
      const nulls = absent(
        join(source, 'api/EmbeddingsApi.java'),
        /InputEmbeddingsAnswer createInputEmbeddings\((.*?)\) throws/,
        1,
        'null',
      )
      withAbsent('OpenapiGenerator.java', join(source, 'OpenapiGenerator.java'), nulls)
      run(
        folder,
        'mvn',
        '-q',
        '-DskipTests',
        'compile',
        'dependency:build-classpath',
        '-Dmdep.outputFile=classpath',
      )
    },
    call: (folder, url) => {
      const classes = `target/classes:${readFileSync(join(folder, 'classpath'), 'utf8')}`
      run(folder, 'java', '-cp', classes, 'inlet.OpenapiGenerator', url)
    },
  },
  'openapi-generator rust': {
    needs: ['java', 'mvn', 'cargo'],
    generate: (folder) => openapiGenerator('rust', folder, 'packageName=inlet_generated'),
    compile: (folder) => {
      const nones = absent(
        join(folder, 'src/apis/embeddings_api.rs'),
        /fn create_input_embeddings\((.*?)\) ->/,
        2,
        'None',
      )
      mkdirSync(join(folder, 'examples'))
      withAbsent('openapi_generator.rs', join(folder, 'examples/calls.rs'), nones)
      run(folder, 'cargo', 'add', '--quiet', '--dev', 'tokio', '--features', 'rt,macros')
      run(folder, 'cargo', 'build', '--quiet', '--example', 'calls')
    },
    call: (folder, url) => run(folder, join(work, 'cargo/debug/examples/calls'), url),
  },
  'openapi-generator typescript-fetch': {
    needs: ['java', 'mvn'],
    generate: (folder) => openapiGenerator('typescript-fetch', join(folder, 'generated')),
    ...typescript('typescript_fetch.ts'),
  },
  'openapi-python-client': {
    needs: ['python3'],
    generate: (folder) => {
      const rest = [
        '--path',
        documentFile,
        '--meta',
        'none',
        '--output-path',
        join(folder, 'inlet_generated'),
      ]
      run(folder, join(venv(), 'bin/openapi-python-client'), 'generate', ...rest)
    },
    compile: (folder) => {
      const walk =
        "import importlib, pkgutil, inlet_generated as g; [importlib.import_module(m.name) for m in pkgutil.walk_packages(g.__path__, 'inlet_generated.')]"
      run(folder, python(), '-c', walk)
    },
    call: (folder, url) => run(folder, python(), join(CALLS, 'openapi_python_client.py'), url),
  },
  'oapi-codegen': {
    needs: ['go'],
    generate: (folder) => {
      mkdirSync(join(folder, 'api'))
      run(
        folder,
        'go',
        'run',
        OAPI_CODEGEN,
        '-generate',
        'types,client',
        '-package',
        'api',
        '-o',
        'api/api.go',
        documentFile,
      )
    },
    compile: (folder) => {
      writeFileSync(join(folder, 'go.mod'), 'module inlet\n\ngo 1.22\n')
      copyFileSync(join(CALLS, 'oapi_codegen.go'), join(folder, 'main.go'))
      run(folder, 'go', 'mod', 'tidy')
      run(folder, 'go', 'build', '-o', 'calls', '.')
    },
    call: (folder, url) => run(folder, './calls', url),
  },
  '@hey-api/openapi-ts': {
    needs: NODE,
    generate: (folder) =>
      run(npm(), 'npx', 'openapi-ts', '-i', documentFile, '-o', join(folder, 'generated')),
    ...typescript('hey_api.ts'),
  },
  'openapi-typescript': {
    needs: NODE,
    generate: (folder) =>
      run(npm(), 'npx', 'openapi-typescript', documentFile, '-o', join(folder, 'generated/schema.d.ts')),
    ...typescript('openapi_typescript.ts'),
  },
  orval: {
    needs: NODE,
    generate: (folder, url) => {
      const output = {
        target: join(folder, 'generated/client.ts'),
        client: 'fetch',
        mode: 'single',
        baseUrl: url,
      }
      const config = { inlet: { input: { target: documentFile }, output } }
      writeFileSync(join(folder, 'orval.config.cjs'), `module.exports = ${JSON.stringify(config)}`)
      run(npm(), 'npx', 'orval', '--config', join(folder, 'orval.config.cjs'))
    },
    ...typescript('orval.ts'),
  },
  // kiota is on NuGet and GitHub alone: one that is on PATH is used. Its calls are not written: it could not be had here.
  kiota: {
    needs: ['kiota'],
    generate: (folder) =>
      run(
        folder,
        'kiota',
        'generate',
        '-l',
        'go',
        '-d',
        documentFile,
        '-c',
        'Inlet',
        '-n',
        'inlet/api',
        '-o',
        'api',
      ),
    compile: (folder) => {
      writeFileSync(join(folder, 'go.mod'), 'module inlet\n\ngo 1.22\n')
      run(folder, 'go', 'mod', 'tidy')
      run(folder, 'go', 'build', './...')
    },
  },
}

/** The service with tables of a megabyte and a half, and its URL. */
async function service() {
  const variables = { HOST: '127.0.0.1', PORT: '0', EMBEDDING_DIM: '8', THREADS: '1', ADMIN_KEY: 'operator' }
  const child = spawn('node', ['dist/server.js'], { cwd: PROJECT, env: { ...process.env, ...variables } })
  let log = ''
  for await (const part of child.stdout) {
    log += part
    const [, url] = /Server listening at (http:\/\/127\.0\.0\.1:\d+)/.exec(log) ?? []
    if (url !== undefined) {
      child.stdout.resume()
      return { url, close: () => child.kill() }
    }
  }
  throw new Error(`The service did not start: ${log}`)
}

const { url, close } = await service()
const chosen = values.only?.split(',')
let failed = 0
for (const [name, generator] of Object.entries(GENERATORS)) {
  if (chosen !== undefined && !chosen.includes(name)) continue
  const missing = generator.needs.find((command) => !has(command))
  if (missing !== undefined) {
    console.log(`${name.padEnd(36)} left out: there is no \`${missing}\``)
    continue
  }
  // Beside node_modules, where TypeScript looks for packages.
  const folder = join(
    generator.needs === NODE || name.endsWith('fetch') ? npm() : work,
    name.replaceAll(/\W+/g, '-'),
  )
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const done = []
  try {
    for (const [step, word] of [
      ['generate', 'generates'],
      ['compile', 'compiles'],
      ['call', 'five calls'],
    ]) {
      if (generator[step] === undefined) continue
      generator[step](folder, url)
      done.push(word)
    }
    console.log(`${name.padEnd(36)} ${done.join(', ')}`)
  } catch (error) {
    failed += 1
    const steps = ['generates', 'compiles', 'five calls']
    console.log(
      `${name.padEnd(36)} ${[...done, `NOT ${steps[done.length]}`].join(', ')}: ${error.message.slice(0, 400)}`,
    )
  }
}
close()
if (values.work === undefined) rmSync(work, { recursive: true, force: true })
process.exit(failed === 0 ? 0 : 1)
