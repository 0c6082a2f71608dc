package queues

import (
	"context"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
)

const queueFile = "../../01_single_queue/1-queues.yaml"

var workloads = schema.GroupVersionResource{
	Group: "kueue.x-k8s.io", Version: "v1beta2", Resource: "workloads",
}

func makeJob(name string, pods int32) *batchv1.Job {
	requests := corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse("1"),
		corev1.ResourceMemory: resource.MustParse("200Mi"),
	}
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{
			Name:   name,
			Labels: map[string]string{"kueue.x-k8s.io/queue-name": "jobs"},
		},
		Spec: batchv1.JobSpec{
			Parallelism: &pods,
			Completions: &pods,
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
				RestartPolicy: corev1.RestartPolicyNever,
				Containers: []corev1.Container{{
					Name:      "work",
					Image:     "busybox:1.37",
					Resources: corev1.ResourceRequirements{Requests: requests},
				}},
			}},
		},
	}
}

// condition of the Workload of a Job: its status and message.
func condition(workload unstructured.Unstructured, kind string) (string, string) {
	found, _, _ := unstructured.NestedSlice(workload.Object, "status", "conditions")
	for _, each := range found {
		if entry, ok := each.(map[string]any); ok && entry["type"] == kind {
			return entry["status"].(string), entry["message"].(string)
		}
	}
	return "", ""
}

func TestAJobThatFitsIsAdmittedAndOneThatDoesNotWaits(t *testing.T) {
	config := StartSluiceDev(t, "--run-seconds", "3600", "--filename", queueFile)
	client := kubernetes.NewForConfigOrDie(config)
	objects := dynamic.NewForConfigOrDie(config)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()

	wait := func(job, kind string, holds func(status, message string) bool) {
		t.Helper()
		for {
			list, err := objects.Resource(workloads).Namespace("single").List(ctx, metav1.ListOptions{})
			if err != nil {
				t.Fatalf("waiting for %s of %s: %v", kind, job, err)
			}
			for _, workload := range list.Items {
				owners := workload.GetOwnerReferences()
				if len(owners) == 1 && owners[0].Name == job && holds(condition(workload, kind)) {
					return
				}
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
	create := func(name string, pods int32) {
		t.Helper()
		_, err := client.BatchV1().Jobs("single").Create(ctx, makeJob(name, pods), metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
	}

	create("fits", 3)
	wait("fits", "Admitted", func(status, _ string) bool { return status == "True" })
	create("waits", 2)
	wait("waits", "QuotaReserved", func(_, message string) bool {
		return strings.Contains(message, "insufficient unused quota for cpu")
	})
	waiting, err := client.BatchV1().Jobs("single").Get(ctx, "waits", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if waiting.Spec.Suspend == nil || !*waiting.Spec.Suspend {
		t.Error("the job that waits is not suspended")
	}
}
