module collector

go 1.24.0

require (
	go.opentelemetry.io/collector/component v1.56.0
	go.opentelemetry.io/collector/confmap v1.56.0
	go.opentelemetry.io/collector/confmap/provider/yamlprovider v1.56.0
	go.opentelemetry.io/collector/exporter v1.56.0
	go.opentelemetry.io/collector/exporter/debugexporter v0.150.0
	go.opentelemetry.io/collector/otelcol v0.150.0
	go.opentelemetry.io/collector/receiver v1.56.0
	go.opentelemetry.io/collector/receiver/otlpreceiver v0.150.0
	go.opentelemetry.io/collector/service v0.150.0
)
