// npm run bench:peers: a Python with what the benches compare with, in the system's temporary folder.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PEERS_VENV } from '../harness/python.mjs'

const requirements = fileURLToPath(new URL('./requirements.txt', import.meta.url))
execFileSync('python3', ['-m', 'venv', PEERS_VENV], { stdio: 'inherit' })
execFileSync(join(PEERS_VENV, 'bin', 'pip'), ['install', '-r', requirements], { stdio: 'inherit' })
console.log(`The benches find it there: ${PEERS_VENV}`)
