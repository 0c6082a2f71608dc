{{- define "sluice.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "sluice.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride }}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- else if contains $name .Release.Name }}
{{- .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "sluice.manager" -}}
{{- include "sluice.fullname" . }}-controller-manager
{{- end }}

{{- define "sluice.selectorLabels" -}}
app.kubernetes.io/name: {{ include "sluice.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
control-plane: controller-manager
{{- end }}

{{- define "sluice.labels" -}}
{{ include "sluice.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- /* An object without its members that are null, at whatever depth: they count as absent, as the
stanza whose lines are all comments. */ -}}
{{- define "sluice.withoutNulls" -}}
{{- $kept := dict }}
{{- range $key, $value := . }}
{{- if kindIs "map" $value }}
{{- $value = include "sluice.withoutNulls" $value | fromJson }}
{{- end }}
{{- if not (kindIs "invalid" $value) }}
{{- $_ := set $kept $key $value }}
{{- end }}
{{- end }}
{{- $kept | toJson }}
{{- end }}

{{- define "sluice.configuration" -}}
{{- $given := fromYaml (default "" .Values.managerConfig.controllerManagerConfigYaml) }}
{{- if hasKey $given "Error" }}
{{- fail (printf "managerConfig.controllerManagerConfigYaml: %s" $given.Error) }}
{{- end }}
{{- range $stanza := list "featureGates" "integrations" "internalCertManagement" "leaderElection"
      "managedJobsNamespaceSelector" "objectRetentionPolicies" "visibilityServer" "webhook" }}
{{- if not (kindIs "map" (get $given $stanza | default dict)) }}
{{- fail (printf "managerConfig.controllerManagerConfigYaml: %s must be an object" $stanza) }}
{{- end }}
{{- end }}
{{- $configuration := include "sluice.withoutNulls" $given | fromJson }}
{{- if .Values.enableCertManager }}
{{- $certificates := get $configuration "internalCertManagement" | default dict }}
{{- if get $certificates "enable" }}
{{- fail "enableCertManager: internalCertManagement.enable in the configuration must not be true" }}
{{- end }}
{{- $_ := set $configuration "internalCertManagement" (merge (dict "enable" false) $certificates) }}
{{- end }}
{{- $configuration | toJson }}
{{- end }}

{{- /* The configuration as the controller reads it: as it was given, unless the chart adds to it. */ -}}
{{- define "sluice.configurationText" -}}
{{- if .Values.enableCertManager }}
{{- include "sluice.configuration" . | fromJson | toYaml }}
{{- else }}
{{- .Values.managerConfig.controllerManagerConfigYaml }}
{{- end }}
{{- end }}

{{- /* The Service and the Secret have the names that the configuration gives them. */ -}}
{{- define "sluice.webhookService" -}}
{{- $configuration := include "sluice.configuration" . | fromJson }}
{{- dig "internalCertManagement" "webhookServiceName" "" $configuration | default "kueue-webhook-service" }}
{{- end }}

{{- define "sluice.webhookSecret" -}}
{{- $configuration := include "sluice.configuration" . | fromJson }}
{{- dig "internalCertManagement" "webhookSecretName" "" $configuration | default "kueue-webhook-server-cert" }}
{{- end }}

{{- /* "true" if the certificates are files that another program makes, such as cert-manager. */ -}}
{{- define "sluice.hasOwnCertificates" -}}
{{- $configuration := include "sluice.configuration" . | fromJson }}
{{- not (dig "internalCertManagement" "enable" true $configuration) }}
{{- end }}

{{- /* The annotation by which cert-manager writes its authority into an object; "" without
cert-manager. Takes root and the end of the Certificate's name. */ -}}
{{- define "sluice.injectedAuthority" -}}
{{- if .root.Values.enableCertManager -}}
annotations:
  {{ include "sluice.injectionKey" . }}: {{ include "sluice.injectionSource" . }}
{{- end }}
{{- end }}

{{- define "sluice.injectionKey" -}}
cert-manager.io/inject-ca-from
{{- end }}

{{- define "sluice.injectionSource" -}}
{{ .root.Release.Namespace }}/{{ include "sluice.fullname" .root }}-{{ .certificate }}
{{- end }}

{{- define "sluice.certificateFolder" -}}
{{- $configuration := include "sluice.configuration" . | fromJson }}
{{- dig "webhook" "certDir" "" $configuration | default "/tmp/k8s-webhook-server/serving-certs" }}
{{- end }}

{{- define "sluice.lease" -}}
{{- $configuration := include "sluice.configuration" . | fromJson }}
{{- dig "leaderElection" "resourceName" "" $configuration | default "c1f6bfd2.kueue.x-k8s.io" }}
{{- end }}

{{- define "sluice.webhookClient" -}}
clientConfig:
    service:
      name: {{ include "sluice.webhookService" .root }}
      namespace: {{ .root.Release.Namespace }}
      path: {{ .path }}
{{- end }}

{{- /* Of the namespaces whose Jobs are managed: as Kueue's chart and as the controller itself have it,
what the configuration says and nothing else, else all but two. */ -}}
{{- define "sluice.managedNamespaces" -}}
{{- $configuration := include "sluice.configuration" . | fromJson }}
{{- $never := dict "key" "kubernetes.io/metadata.name" "operator" "NotIn" "values" (list "kube-system" .Release.Namespace) }}
{{- $default := dict "matchExpressions" (list $never) }}
{{- toYaml (dig "managedJobsNamespaceSelector" $default $configuration) }}
{{- end }}

{{- /* A feature gate, one in beta: true, false, or "" for its default. Takes root and name. */ -}}
{{- define "sluice.gate" -}}
{{- $configuration := include "sluice.configuration" .root | fromJson }}
{{- $flags := .root.Values.controllerManager.featureGates }}
{{- $gate := "" }}
{{- range $name := list "AllBeta" .name }}
{{- $gate = dig "featureGates" $name $gate $configuration }}
{{- range $flags }}
{{- if eq .name $name }}{{ $gate = .enabled }}{{ end }}
{{- end }}
{{- end }}
{{- $gate }}
{{- end }}

{{- define "sluice.elasticJobs" -}}
{{- include "sluice.gate" (dict "root" . "name" "ElasticJobsViaWorkloadSlices") }}
{{- end }}

{{- define "sluice.topologies" -}}
{{- include "sluice.gate" (dict "root" . "name" "TopologyAwareScheduling") }}
{{- end }}

{{- /* "true" if the controller ungates the pods of jobs: elastic ones, and those with a topology. */ -}}
{{- define "sluice.ungatesPods" -}}
{{- or (ne (include "sluice.elasticJobs" .) "false") (ne (include "sluice.topologies" .) "false") }}
{{- end }}

{{- define "sluice.servesVisibility" -}}
{{- and .Values.enableVisibilityAPI (ne (include "sluice.gate" (dict "root" . "name" "VisibilityOnDemand")) "false") }}
{{- end }}

{{- /* "true" if the controller writes its authority into the APIServices of the visibility API. */ -}}
{{- define "sluice.publishesVisibility" -}}
{{- and (eq (include "sluice.servesVisibility" .) "true") (ne (include "sluice.hasOwnCertificates" .) "true") }}
{{- end }}

{{- /* The Service of the visibility API. The certificate that the controller makes is good for this
name alone. */ -}}
{{- define "sluice.visibilityService" -}}
kueue-visibility-server
{{- end }}

{{- define "sluice.visibilityPort" -}}
{{- $configuration := include "sluice.configuration" . | fromJson }}
{{- dig "visibilityServer" "bindPort" 8082 $configuration | int }}
{{- end }}

{{- /* The rights to jobs of a kind. They are deleted where the configuration asks for it, and only
there. */ -}}
{{- define "sluice.jobVerbs" -}}
{{- $retention := dig "objectRetentionPolicies" "workloads" (dict) (include "sluice.configuration" . | fromJson) }}
{{- ternary "[delete, get, list, patch, watch]" "[get, list, patch, watch]" (hasKey $retention "afterDeactivatedByKueue") }}
{{- end }}

{{- /* Binds a role that writes pods, in the namespaces of the value podNamespaces where it names any.
Takes root and the end of the role's name. */ -}}
{{- define "sluice.bindPodWriter" -}}
{{- $name := printf "%s-%s" (include "sluice.manager" .root) .role }}
{{- range default (list "") .root.Values.podNamespaces }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ ternary "RoleBinding" "ClusterRoleBinding" (ne . "") }}
metadata:
  name: {{ $name }}
  {{- with . }}
  namespace: {{ . }}
  {{- end }}
  labels:
    {{- include "sluice.labels" $.root | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: {{ $name }}
subjects:
- kind: ServiceAccount
  name: {{ include "sluice.manager" $.root }}
  namespace: {{ $.root.Release.Namespace }}
{{- end }}
{{- end }}
