// Renders a kustomization, reads each manifest with the types of Kubernetes, and prints them all. A field that a type
// does not have, or has twice, is an error.
package main

import (
	"fmt"
	"os"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

func main() {
	if err := render(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func render(folder string) error {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		apps.AddToScheme, core.AddToScheme, networking.AddToScheme, policy.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return err
		}
	}
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
	rendered, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		return err
	}
	for _, resource := range rendered.Resources() {
		text, err := resource.AsYAML()
		if err != nil {
			return err
		}
		if _, _, err := decoder.Decode(text, nil, nil); err != nil {
			return fmt.Errorf("%s: %w", resource.CurId(), err)
		}
	}
	all, err := rendered.AsYaml()
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(all)
	return err
}
