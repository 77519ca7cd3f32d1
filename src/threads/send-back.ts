// The child process of src/threads/listener-copies.ts: sends the handle that it gets back, as many times as its first
// argument.

const copies = Number(process.argv[2])
process.on('message', (_, handle) => {
  for (let i = 0; i < copies; i++) process.send?.({}, handle as never)
})
