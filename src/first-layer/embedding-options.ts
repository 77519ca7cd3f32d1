export * from './embedding-plan.js' // until the features import it from there
