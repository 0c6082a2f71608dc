{{- /* Written by test/lint/job_kinds.py from lib/job_kinds/builtin. */ -}}

{{- /* The kinds of jobs that Sluice knows, except batch Jobs, by their names in
integrations.frameworks. Objects of the kinds that serve are not jobs: their pods are. */ -}}
{{- define "sluice.knownJobKinds" -}}
deployment: {group: apps, version: v1, kind: deployment, resource: deployments, serves: true}
jobset.x-k8s.io/jobset: {group: jobset.x-k8s.io, version: v1alpha2, kind: jobset, resource: jobsets}
kubeflow.org/jaxjob: {group: kubeflow.org, version: v1, kind: jaxjob, resource: jaxjobs}
kubeflow.org/mpijob: {group: kubeflow.org, version: v2beta1, kind: mpijob, resource: mpijobs}
kubeflow.org/paddlejob: {group: kubeflow.org, version: v1, kind: paddlejob, resource: paddlejobs}
kubeflow.org/pytorchjob: {group: kubeflow.org, version: v1, kind: pytorchjob, resource: pytorchjobs}
kubeflow.org/tfjob: {group: kubeflow.org, version: v1, kind: tfjob, resource: tfjobs}
kubeflow.org/xgboostjob: {group: kubeflow.org, version: v1, kind: xgboostjob, resource: xgboostjobs}
leaderworkerset.x-k8s.io/leaderworkerset: {group: leaderworkerset.x-k8s.io, version: v1, kind: leaderworkerset, resource: leaderworkersets, serves: true}
pod: {group: "", version: v1, kind: pod, resource: pods}
ray.io/raycluster: {group: ray.io, version: v1, kind: raycluster, resource: rayclusters, viewers: administrators}
ray.io/rayjob: {group: ray.io, version: v1, kind: rayjob, resource: rayjobs}
ray.io/rayservice: {group: ray.io, version: v1, kind: rayservice, resource: rayservices, viewers: administrators}
sparkoperator.k8s.io/sparkapplication: {group: sparkoperator.k8s.io, version: v1beta2, kind: sparkapplication, resource: sparkapplications}
statefulset: {group: apps, version: v1, kind: statefulset, resource: statefulsets, serves: true}
trainer.kubeflow.org/trainjob: {group: trainer.kubeflow.org, version: v1alpha1, kind: trainjob, resource: trainjobs, reads: [clustertrainingruntimes, trainingruntimes]}
workload.codeflare.dev/appwrapper: {group: workload.codeflare.dev, version: v1beta2, kind: appwrapper, resource: appwrappers, viewers: nobody}
{{- end }}

{{- /* The kinds of jobs whose objects may control batch Jobs, as a list in CEL. */ -}}
{{- define "sluice.jobControllers" -}}
['Job', 'JobSet', 'JAXJob', 'MPIJob', 'PaddleJob', 'PyTorchJob', 'TFJob', 'XGBoostJob',
'RayCluster', 'RayJob', 'SparkApplication', 'TrainJob', 'AppWrapper']
{{- end }}

{{- /* "true" in CEL if controllers of jobs select pods by the label `key`. */ -}}
{{- define "sluice.selectsPods" -}}
key.startsWith('jobset.sigs.k8s.io/') || key.startsWith('leaderworkerset.sigs.k8s.io/') ||
key.startsWith('ray.io/') || key.startsWith('training.kubeflow.org/')
{{- end }}
