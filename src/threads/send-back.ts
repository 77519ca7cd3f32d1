// The child process of src/threads/listener-copies.ts: sends back the handle that it gets, as often as its
// argument says.

const copies = Number(process.argv[2])
process.on('message', (_, handle) => {
  for (let i = 0; i < copies; i++) process.send?.({}, handle as never)
})
