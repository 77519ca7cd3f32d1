// Addresses are relative, so that the page works under a prefix too.
window.SwaggerUIBundle({
  dom_id: '#api',
  url: 'openapi.json',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  validatorUrl: null, // no call to anyone else
})
