import { closeSync, existsSync, openSync, writeSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

// Imported by the service before its own modules: takes every file descriptor that is left while a file is there.

const held = []

function take() {
  try {
    for (;;) held.push(openSync('/dev/null', 'r'))
  } catch {
    writeSync(2, 'none is left\n')
  }
}

if (isMainThread) {
  setInterval(() => {
    if (existsSync(process.env.NO_DESCRIPTORS)) take()
    else for (const descriptor of held.splice(0)) closeSync(descriptor)
  }, 5).unref()
}
