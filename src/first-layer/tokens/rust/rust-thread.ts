import { parentPort } from 'node:worker_threads'
import { serveLibrary } from './serve-library.js'
import { TokenizerProcesses } from './tokenizer-processes.js'

// The thread that keeps the processes of the Rust library for a script.

if (parentPort === null) throw new Error('rust/rust-thread.js is started by a script, not by hand.')
serveLibrary(new TokenizerProcesses(), parentPort)
