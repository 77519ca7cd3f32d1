// One round beside Python's tiktoken: node beside-python.mjs ENCODING CORPUS CHUNKS PYTHON FOLDER_OF_RANKS
// Both in a separate process, both through all chunks without a pause: a process that was asleep for each
// chunk would be woken up at half its speed. Prints { bytes, own, python, mismatches }, in seconds.
import { processorSeconds } from '../harness/processor-time.mjs'
import { startPython } from '../harness/python.mjs'
import { chunks } from './chunks.mjs'
import { ownEncoder } from './encoders.mjs'

const [encodingName, corpusName, chunkCount, pythonPath, rankFolder] = process.argv.slice(2)
const inPython = encodingName === 'gpt2' ? 'r50k_base' : encodingName // the same ids, and one file
const python = await startPython(pythonPath, 'tiktoken_encode.py', [inPython, rankFolder])
const { encode } = await ownEncoder(encodingName)
const { warm, unseen } = chunks(corpusName, Number(chunkCount))
for (const chunk of warm) await encode(chunk)
await python.ask(warm)

const start = processorSeconds()
const found = []
for (const chunk of unseen) found.push(await encode(chunk))
const own = processorSeconds() - start
const { seconds, ids } = await python.ask(unseen)
python.stop()
const mismatches = ids.filter((theirs, i) => theirs.join() !== [...found[i]].join()).length
const bytes = unseen.reduce((sum, chunk) => sum + Buffer.byteLength(chunk), 0)
console.log(JSON.stringify({ bytes, own, python: seconds, mismatches }))
