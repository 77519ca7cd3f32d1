{{- define "inlet.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "inlet.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- else if contains (include "inlet.name" .) .Release.Name }}
{{- .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "inlet.name" .) | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "inlet.selector" -}}
app.kubernetes.io/name: {{ include "inlet.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "inlet.labels" -}}
{{ include "inlet.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "inlet.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- /* The port of probes, metrics and scrapes. */ -}}
{{- define "inlet.operators" -}}
{{ ternary "operators" "http" .Values.operatorsPort.enabled }}
{{- end }}

{{- /* The Secret with the callers' keys; empty where there are none. */ -}}
{{- define "inlet.keys" -}}
{{- if .Values.keys.existingSecret }}
{{- .Values.keys.existingSecret }}
{{- else if .Values.keys.file }}
{{- include "inlet.fullname" . }}-keys
{{- end }}
{{- end }}

{{- define "inlet.claim" -}}
{{- .values.existingClaim | default (printf "%s-%s" (include "inlet.fullname" .root) .name) }}
{{- end }}
